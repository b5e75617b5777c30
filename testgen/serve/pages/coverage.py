"""The coverage map: a page with the number of words of each category in each language."""

from __future__ import annotations

from functools import cache

from fastapi import APIRouter, Request
from fastapi.responses import Response

from testgen.serve import responses
from testgen.serve.api import ProviderDep
from testgen.serve.pages.rendering import LEVELS, level, render

router = APIRouter()


@router.get("/coverage")
def coverage(request: Request, provider: ProviderDep) -> Response:
    """The map, with variants of languages hidden; a script narrows and sorts it."""
    frame = provider.in_memory.coverage
    columns = [provider.offered[str(name)] for name in frame.columns]
    counts = dict(zip(frame.index, frame.to_numpy(int).tolist(), strict=True))
    known = responses.all_languages(provider)
    return render(
        request,
        "coverage",
        columns=columns,
        rows=[(each, "".join(map(_cell, counts[each.code]))) for each in known],
        whole=sum(each.variant_of is None for each in known),
        scripts=responses.scripts(provider),
        topics=sorted({query.topic for query in columns}),
        levels=LEVELS,
    )


@cache
def _cell(count: int) -> str:
    # There are thousands of cells; a template would need most of the time for them.
    return f'<td class="h{level(count)}">{count:,}</td>' if count else "<td></td>"
