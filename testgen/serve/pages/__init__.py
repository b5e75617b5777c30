"""The web pages: the content of `responses` for people, rendered on the server, usable without scripts."""

from __future__ import annotations

from fastapi import APIRouter

from testgen.serve.pages import browse, build, coverage, guide, rendering, start
from testgen.serve.pages.start import error_page

__all__ = ["error_page", "router"]

router = APIRouter(include_in_schema=False)
for _page in (start, coverage, browse, build, guide, rendering):
    router.include_router(_page.router)
