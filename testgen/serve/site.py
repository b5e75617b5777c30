"""The pages and files that need no process, as a folder that any web server can serve.

The service is asked for its start page, for all that this page links to, and so on. Pages have their paths in
the service, with `.html`, and their links are relative: the folder works below any path.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterator
from functools import partial
from itertools import chain
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

import regex
from fastapi import FastAPI
from starlette.types import Message, Scope

from testgen.errors import ConfigError, OutputError
from testgen.serve import responses
from testgen.serve.app import create_app
from testgen.serve.provider import TestSetProvider, write_archive
from testgen.serve.selection import Selection
from testgen.serve.settings import Settings
from testgen.system import locked, sweep, writing_to

_LINK = regex.compile(r' (?P<name>href|src|action|data-[a-z]+)="(?P<path>/[^"?#]*)(?P<rest>[^"]*)"')
_OWN = b'<meta name="generator" content="testgen '
_START = "index.html"


def write_site(folder: Path, source: str = "shipped", base_url: str = "") -> tuple[int, int]:
    """Write the pages and test sets of a source; return the number of files, and their size in bytes."""
    # An older site is replaced when the new one is complete; files of others at its top, such as `CNAME`,
    # stay. `base_url` is the address of the site, for the commands that it shows.
    base_url = base_url.rstrip("/")
    if base_url and not regex.match("https?://.", base_url):
        raise ConfigError(
            f"--base-url {base_url}: it must begin with https://, as in https://example.org/words"
        )
    folder = folder.resolve()
    with writing_to(folder):
        start = folder / _START
        is_ours = start.is_file() and _OWN in start.read_bytes()[:2000]
        if folder.exists() and (not folder.is_dir() or (any(folder.iterdir()) and not is_ours)):
            raise OutputError(f"{folder}: has files that are not a site of testgen; name another folder")
        folder.parent.mkdir(parents=True, exist_ok=True)
        sweep(folder)
        beside_it = TemporaryDirectory(prefix=".part.", suffix=f".{folder.name}", dir=folder.parent)
        with beside_it as beside, locked(Path(beside)):
            jobs = Path(beside) / "jobs"
            settings = Settings(jobs, source, hosts=("*",), base_url=base_url, pages_only=True)
            new = Path(beside) / "site"
            sizes = []
            for name, content in _files(create_app(settings)):
                (new / name).parent.mkdir(parents=True, exist_ok=True)
                sizes.append((new / name).write_bytes(content))
            _replace(folder, new, Path(beside) / "old")
    return len(sizes), sum(sizes)


def _replace(folder: Path, new: Path, old: Path) -> None:
    new.chmod(0o755)
    if folder.exists():
        folder.rename(old)
    new.rename(folder)
    for entry in list(old.iterdir()) if old.exists() else ():
        if not (folder / entry.name).exists():
            shutil.move(entry, folder)


def _files(app: FastAPI) -> Iterator[tuple[str, bytes]]:
    yield ".nojekyll", b""  # GitHub need not look for pages that are still to be made
    found, done = ["/"], set[str]()
    with asyncio.Runner() as runner:
        for path in chain(_of_languages(app.state.provider), _taken_from(found)):
            if path in done:
                continue
            done.add(path)
            content, name = runner.run(_answer(app, path)), _name(path)
            if name.endswith(".html"):
                text = content.decode()
                found += [link["path"] for link in _LINK.finditer(text)]
                content = _LINK.sub(partial(_relative, name), text).encode()
            yield name, content


def _of_languages(provider: TestSetProvider) -> Iterator[str]:
    """The paths of what is made from test sets: those of all languages are made at once, as this is read."""
    if not provider.in_memory.counts:
        return
    files, texts = provider.files(Selection()), []
    for every_word in provider.files(responses.every_word(provider)):
        code = every_word.test_set.language
        if provider.in_memory.in_file[code].sections:
            texts.append(next(files).content.decode())
            yield f"/api/v1/test-sets/{code}.json"
        yield from (f"/languages/{code}", f"/languages/{code}/names.json")
    write_archive(provider.everything, texts)


def _taken_from(paths: list[str]) -> Iterator[str]:
    while paths:
        yield paths.pop()


async def _answer(app: FastAPI, path: str) -> bytes:
    scope: Scope = {
        "type": "http", "http_version": "1.1", "method": "GET", "scheme": "http", "path": path,
        "raw_path": path.encode(), "query_string": b"", "headers": [(b"host", b"localhost")], "root_path": "",
    }  # fmt: skip
    messages: list[Message] = []

    async def receive() -> Message:  # asked only by answers in parts, which watch whether the client goes
        await asyncio.Event().wait()
        raise AssertionError

    async def send(message: Message) -> None:
        messages.append(message)

    await app(scope, receive, send)
    if messages[0]["status"] != 200:
        raise AssertionError(
            f"a page links to {path}, which the service answers with {messages[0]['status']}"
        )
    return b"".join(message.get("body", b"") for message in messages[1:])


def _name(path: str) -> str:
    name = path.strip("/") or _START
    suffix = ".json" if path.startswith("/api/") else ".html"
    return name if PurePosixPath(name).suffix else name + suffix


def _relative(page: str, link: regex.Match[str]) -> str:
    upwards = "/".join([".."] * page.count("/")) or "."
    target = upwards if link["name"] == "data-root" else f"{upwards}/{_name(link['path'])}{link['rest']}"
    return f' {link["name"]}="{target}"'
