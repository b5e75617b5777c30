"""What the service answers for a small snapshot is as it was recorded: words, links, numbers, their order.

`python -m tests.testgen.serve.test_recorded` records it again: look at the difference before you commit it.
"""

from __future__ import annotations

import json
import re
import tempfile
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="the service needs the extra [serve]")

from starlette.testclient import TestClient

import testgen
from testgen.serve.app import create_app
from testgen.serve.settings import Settings
from tests.testgen.serve.conftest import WITH_HEBREW

FOLDER = Path(__file__).parent / "recorded"
MOST = 150  # lines of an answer
CATEGORIES = ("country", "capital", "country-capital", "currency", "emotion")  # a new query changes nothing
ADDRESSES = {
    "start": ["/", "/search.json?q=hebrw", "/search.json?q=countries", "/about", "/api", "/scores"],
    "languages": [
        "/languages",
        "/languages/la",
        "/languages/he",
        "/languages/ru",
        "/languages/iw",
        "/languages/zz",
    ],
    "names": ["/languages/la/names.json", "/languages/he/names.json", "/languages/de/names.json"],
    "categories": ["/categories", "/categories/country", "/categories/country/2", "/categories/emotion"],
    "relations": ["/categories/country-capital", "/categories/country-capital/1", "/categories/none"],
    "coverage": [
        "/coverage",
        "/api/v1/coverage",
        "/api/v1/coverage?language=la&minimum_words=3&variants=false",
    ],
    "build": [
        "/build",
        "/build?language=la&language=he&category=country&several_words=keep&keywords=false",
        "/build?all_languages=true&class=Q6256&minimum_items=3",
        "/build?language=latin&category=countrys",
        "/build/preview?language=la&category=country",
        "/build/preview?language=he&minimum_words=1000001",
    ],
    "use": [
        "/use?language=la&category=country",
        "/use?language=la&language=he",
        "/use?all_languages=true",
        "/languages/la/use",
    ],
    "api": [
        "/api/v1",
        "/api/v1/languages",
        "/api/v1/languages/la",
        "/api/v1/languages/zz",
        "/api/v1/categories",
        "/api/v1/categories/country-capital",
        "/api/v1/test-sets/la/summary",
        "/api/v1/test-sets/la.json",
        "/api/v1/test-sets/la.json?category=country&aliases=true",
        "/api/v1/test-sets/la.json?category=nothing",
        "/api/v1/jobs/nothing",
    ],
    "words": [
        "/api/v1/words?q=gallia",
        "/api/v1/words?q=Roma",
        "/api/v1/words?q=nothing",
        "/api/v1/words?language=la",
    ],
    "operations": ["/healthz", "/robots.txt"],
}


def answers(folder: Path) -> dict[str, str]:
    """The answers of a service that has just started."""
    (folder / "small.ttl").write_text(WITH_HEBREW, encoding="utf-8")
    settings = Settings(folder / "data", str(folder / "small.ttl"), categories=CATEGORIES)
    with TestClient(create_app(settings), base_url="http://localhost", follow_redirects=False) as client:
        return {
            name: "".join(shown(address, client.get(address)) for address in addresses)
            for name, addresses in ADDRESSES.items()
        }


def shown(address: str, answer) -> str:
    """An answer as lines: of a page its texts, links and fields, each once in its place."""
    kind = answer.headers.get("content-type", "").partition(";")[0]
    text = answer.text
    if kind == "application/json":
        text = json.dumps(answer.json(), indent=1, ensure_ascii=False)
    elif kind == "text/html":
        text = re.sub(r"<(script|style)\b.*?</\1>", "", text, flags=re.DOTALL)
        text = re.sub(r"<\w[^>]*?\b(href|value|content)=\"([^\"]*)\"[^>]*>", r"\n[\2]\n", text)
        text = re.sub(r"</?(?:a|b|i|em|strong|code|span|bdi|wbr|small|abbr)\b[^>]*>", "", text)
        text = re.sub(r"<[^>]*>", "\n", text)
    text = re.sub(
        r"\b[0-9a-f]{64}\b|(?<=\?v=)[0-9a-f]+", "DIGEST", text.replace(testgen.__version__, "VERSION")
    )
    lines = [each for each in (" ".join(line.split()) for line in text.splitlines()) if each]
    more = [f"({len(lines)} lines)"] if len(lines) > MOST else []
    headers = [
        f"{key}: {answer.headers[key]}" for key in ("location", "cache-control") if key in answer.headers
    ]
    return "\n".join([f"--- {address}: {answer.status_code} {kind}", *headers, *lines[:MOST], *more, ""])


@pytest.fixture(scope="module")
def now(tmp_path_factory):
    return answers(tmp_path_factory.mktemp("recorded"))


@pytest.mark.parametrize("name", ADDRESSES)
def test_the_service_answers_what_was_recorded(now, name):
    assert now[name].splitlines() == (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        for key, value in answers(Path(temporary)).items():
            (FOLDER / f"{key}.txt").write_text(value, encoding="utf-8")
