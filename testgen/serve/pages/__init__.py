"""The pages: what the API has, for people. Made on the server; scripts only make them quicker to use."""

from __future__ import annotations

from fastapi import APIRouter

from testgen.serve.pages.build import router as _build
from testgen.serve.pages.categories import router as _categories
from testgen.serve.pages.coverage import router as _coverage
from testgen.serve.pages.description import router as _description
from testgen.serve.pages.errors import error_page
from testgen.serve.pages.jobs import router as _jobs
from testgen.serve.pages.languages import router as _languages
from testgen.serve.pages.rendering import mount_files
from testgen.serve.pages.start import router as _start

__all__ = ["error_page", "mount_files", "router"]

router = APIRouter(include_in_schema=False)
for _page in (_start, _coverage, _languages, _categories, _build, _jobs, _description):
    router.include_router(_page)
