"""Take the pictures of the pages for the README: `python tools/screenshots.py`.

Starts the service on the shipped snapshot and writes PNG files into docs/images. Nothing in them depends on
the time. Needs playwright and a Chromium. Pages of other programs are taken with `--page NAME=FILE.html`,
alone if `--only-pages` is given as well.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, ViewportSize, sync_playwright

IMAGES = Path(__file__).parent.parent / "docs" / "images"
MOST = 200_000  # bytes of a picture
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
]
DESKTOP: ViewportSize = {"width": 1280, "height": 800}


@dataclass(frozen=True)
class Picture:
    """A picture: what it is called, what it shows, and how it is looked at."""

    name: str
    address: str
    size: ViewportSize
    scheme: Literal["light", "dark"] = "light"


OF_SERVICE = (
    Picture("start", "/", DESKTOP),
    Picture("coverage", "/coverage?sort=_total", DESKTOP),
    Picture("words", "/categories/month?language=la&language=te&language=he&language=ka#items", DESKTOP),
    Picture("build", "/build?language=te&category=country&category=month", DESKTOP),
)


@contextmanager
def service() -> Iterator[str]:
    """The address of a service on the shipped snapshot."""
    testgen = str(Path(sys.executable).with_name("testgen"))
    with tempfile.TemporaryDirectory() as data:
        command = [testgen, "serve", "--port", "0", "--data", data]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:  # noqa: S603
            assert process.stderr is not None  # noqa: S101
            said = (re.match(r"testgen: (http://\S+)/ ", line) for line in process.stderr)
            found = next((each[1] for each in said if each), None)
            try:
                if found is None:
                    raise SystemExit("the service does not start; try `testgen serve`")
                yield found
            finally:
                process.terminate()


def take(browser: Browser, picture: Picture, base: str = "") -> None:
    """Take a picture, without anything that moves or blinks."""
    context = browser.new_context(
        viewport=picture.size, color_scheme=picture.scheme, reduced_motion="reduce", locale="en-GB"
    )
    page = context.new_page()
    page.goto(base + picture.address)
    page.wait_for_load_state("networkidle")
    path = IMAGES / f"{picture.name}.png"
    page.screenshot(path=path, animations="disabled", caret="hide")
    context.close()
    print(path)
    if path.stat().st_size > MOST:
        raise SystemExit(f"{path} is larger than {MOST:,} bytes")


def main() -> None:
    """Take what is asked for."""
    parser = argparse.ArgumentParser(description="Take the pictures of the pages for the README.")
    parser.add_argument("--page", action="append", default=[], metavar="NAME=FILE.html")
    parser.add_argument("--only-pages", action="store_true", help="Do not start the service.")
    options = parser.parse_args()
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    IMAGES.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        for each in options.page:
            name, _, file = each.partition("=")
            take(browser, Picture(name, Path(file).resolve().as_uri(), DESKTOP))
        if not options.only_pages:
            with service() as base:
                for picture in OF_SERVICE:
                    take(browser, picture, base)
        browser.close()


if __name__ == "__main__":
    main()
