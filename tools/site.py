"""What MkDocs needs to make a site of pages that are written for a reader of the repository.

Pages outside docs/ (the README, the changelog, …) become pages of the site, links into the repository lead to
them, the tutorial is converted, the reference is made of what the packages offer, and formulas become MathML.
"""

from __future__ import annotations

import importlib
import os
import re
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from tools.documents import with_options
from tools.tables import LINKED, aligned, rows

REPOSITORY = Path(__file__).parent.parent

PAGES = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "CONTRIBUTING.md",
    "CHANGELOG.md": "CHANGELOG.md",
    "SECURITY.md": "SECURITY.md",
    "cache/README.md": "snapshot.md",
    "cache/CC-BY-4.0.txt": "CC-BY-4.0.txt",
    "cache/UNICODE-LICENSE.txt": "UNICODE-LICENSE.txt",
    "CITATION.cff": "CITATION.cff",
    "LICENSE": "LICENSE.txt",
    "testgen/generation/dictionary.v1.schema.json": "schemas/dictionary.v1.schema.json",
    "testgen/snapshots/importers/categories.tsv": "categories.tsv",
    "testgen/testset/testset.v2.schema.json": "schemas/testset.v2.schema.json",
}
"""Files outside docs/, and where they are in the site."""

BOOSTS = {"read-a-score.md": 2, "your-language.md": 2, "questions.md": 2, "reference/": 0.5}
"""How much more a page counts in the search: the reference of functions repeats the words of the pages."""

FILTERED = 20
"""Tables of more rows have a field that filters them."""

_OURS = ("testgen", "evaluator")
_LINK = re.compile(r"\]\(([^)#:\s]+)(#[^)\s]*)?\)")
_COMMAND_LINE = re.compile(r"cli-(\w+)\.md")
_COMMAND = re.compile("(?:evaluator|testgen) ")
_FORMULA = re.compile(r'<(span|div) class="arithmatex">\\[(\[](.*?)\\[)\]]</\1>', re.DOTALL)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add pages from outside docs/, the converted tutorial, and the API reference."""
    for source, target in PAGES.items():
        files.append(File.generated(config, target, abs_src_path=str(REPOSITORY / source)))
    for package in _OURS:
        files.append(File.generated(config, f"reference/{package}.md", content=_reference(package)))
    files.append(File.generated(config, "reference/plugins.md", content=_plugins()))
    for name, content in _tutorial().items():
        files.append(File.generated(config, name, content=content))
    return files


def _reference(package: str) -> str:
    """A page of everything that a package offers."""
    imported = f"All names can be imported from `{package}`."
    return f"# {package} in Python\n\n{imported}\n\n{_offered(package)}"


def _offered(package: str) -> str:
    module = importlib.import_module(package)
    found = {name: getattr(module, name) for name in module.__all__}
    # Texts, numbers and names of types are described where they are used.
    described = {name: each for name, each in found.items() if _home(each).partition(".")[0] in _OURS}
    order = sorted(described, key=lambda name: (isinstance(described[name], type), name))  # functions first
    return "\n".join(f"::: {_home(described[name])}.{name}\n" for name in order)


def _home(offered: object) -> str:
    return str(getattr(offered, "__module__", ""))


def _plugins() -> str:
    """A page of everything that the plug-ins of evaluator offer."""
    names = sorted(path.parent.name for path in (REPOSITORY / "evaluator" / "plugins").glob("*/__init__.py"))
    packages = [f"evaluator.plugins.{name}" for name in names]
    offered = {each: _offered(each) for each in packages if hasattr(importlib.import_module(each), "__all__")}
    parts = [f"## {each}\n\n{listed}" for each, listed in offered.items()]
    return "\n".join(["# The plug-ins of evaluator in Python\n", *parts])


def _tutorial() -> dict[str, str | bytes]:
    """The notebook as a page, and its pictures."""
    from nbconvert import MarkdownExporter

    text, resources = MarkdownExporter().from_filename(str(REPOSITORY / "docs" / "tutorial.ipynb"))
    return {"tutorial.md": text, **resources["outputs"]}


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001
    """Let links lead into and out of docs/ as in the repository, and say how much the page counts."""
    for start, boost in BOOSTS.items():
        if page.file.src_uri.startswith(start):
            page.meta["search"] = {"boost": boost}
    source = next((own for own, target in PAGES.items() if target == page.file.src_uri), None)
    folder = (REPOSITORY / (source or f"docs/{page.file.src_uri}")).parent

    def moved(match: re.Match[str]) -> str:
        path = (folder / match[1]).resolve()
        if not path.is_relative_to(REPOSITORY) or not path.exists():
            return match[0]
        name = path.relative_to(REPOSITORY).as_posix()
        target = PAGES.get(name, name.removeprefix("docs/").replace("tutorial.ipynb", "tutorial.md"))
        relative = os.path.relpath(target, Path(page.file.src_uri).parent)
        return f"]({relative}{match[2] or ''})"

    if not folder.is_dir():  # of the reference
        return markdown
    if command_line := _COMMAND_LINE.fullmatch(page.file.src_uri):
        markdown = with_options(markdown, command_line[1])
    return _LINK.sub(moved, LINKED.sub(lambda match: _table(match, folder), markdown))


def _table(link: re.Match[str], folder: Path) -> str:
    """The rows of a file that a page links to."""
    head, *found = rows(folder / link[2])
    written = ([f"`{cell}`" if _COMMAND.match(cell) else cell for cell in row] for row in found)
    state = " open" if link[3] else ""
    field = ' class="filtered"' if len(found) > FILTERED else ""
    shown = aligned([head, *written])
    return f'<details markdown="1"{state}{field}><summary>{link[1]}</summary>\n\n{shown}\n\n</details>'


def on_page_content(html: str, **_: Any) -> str:  # noqa: ANN401  # what MkDocs hands over besides
    """Formulas as MathML, which browsers show without a program."""
    from latex2mathml.converter import convert

    def formula(match: re.Match[str]) -> str:
        import html as entities

        return convert(entities.unescape(match[2]), display="block" if match[1] == "div" else "inline")

    return _FORMULA.sub(formula, html)
