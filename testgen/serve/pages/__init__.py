"""The web pages: the content of the API for people, rendered on the server, usable without scripts.

Templates, scripts and styles are in `templates` and `static`; the content itself comes from `responses`.
"""

from __future__ import annotations

from fastapi import APIRouter

from testgen.serve.pages.api_reference import router as _api_reference
from testgen.serve.pages.browse import router as _browse
from testgen.serve.pages.build import router as _build
from testgen.serve.pages.coverage import router as _coverage
from testgen.serve.pages.error import error_page
from testgen.serve.pages.guide import router as _guide
from testgen.serve.pages.jobs import router as _jobs
from testgen.serve.pages.rendering import router as _files
from testgen.serve.pages.start import router as _start

__all__ = ["error_page", "router"]

router = APIRouter(include_in_schema=False)
for _page in (_start, _coverage, _browse, _build, _jobs, _api_reference, _guide, _files):
    router.include_router(_page)
