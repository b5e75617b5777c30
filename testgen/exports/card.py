"""The card of a data set (contents, origin, licence, citation), and the folder that is written with it."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

from msgspec import structs

from testgen.errors import OutputError
from testgen.languages.codes import from_tag, languages, stand_ins_described
from testgen.sources import Provenance
from testgen.system import atomic_write, locked, visible, writing_to
from testgen.testset.types import Corrected, TestSet

CARD, LICENSE = "README.md", "LICENSE"

_MARK = "---\n# Written by testgen "  # begins the cards that testgen wrote
_DIGEST = re.compile(r"^# ([\w.-]+) sha256:([0-9a-f]{64})$", re.MULTILINE)

_SIZES = ("n<1K", "1K<n<10K", "10K<n<100K", "100K<n<1M", "1M<n<10M", "10M<n<100M")
_LATEX = str.maketrans(
    {each: f"\\{each}" for each in "&%#_$"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    | {"{": r"\textbraceleft{}", "}": r"\textbraceright{}"}  # BibTeX counts braces, also after a backslash
)
_COMMONS = re.compile(r"cc0-1\.0|cc-by(-sa|-nd|-nc|-nc-sa|-nc-nd)?-[2-4]\.[05]")
_HUB_LICENSE = re.compile(_COMMONS.pattern + r"|apache-2\.0|gfdl|mit|odbl|odc-by|pddl|unknown")
"""Licences of sources of words that the Hugging Face hub knows."""


@dataclass(frozen=True)
class Summary:
    """What a card says about one test set."""

    language: str
    source: Provenance
    size: Mapping[str, int]
    stand_ins: Sequence[tuple[str, str, str]]  # see `stand_ins_described`
    corrections: Corrected | None
    related: Sequence[Provenance] = ()  # the origins of related words

    @classmethod
    def of(cls, test_set: TestSet) -> Summary:
        """The summary of a test set; classes within categories are not counted."""
        top = [section for section in test_set.categories if not section.level]
        size = {
            "categories": len(top),
            "words": len({word for section in top for item in section.items for word in item.words}),
            "relations": len(test_set.relations),
            "pairs": sum(len(section.pairs) for section in test_set.relations),
        }
        if test_set.groups:
            size["keywords"] = len({word for family in test_set.groups for word in family.words})
        code = test_set.language
        named = [(code, each.named_in, each.name) for each in (*top, *test_set.relations) if each.named_in]
        related = [family.source for family in test_set.groups]
        return cls(code, test_set.source, size, named, test_set.corrections, related)


@dataclass(frozen=True)
class DataSet:
    """What the files of a data set hold."""

    subject: str  # its heading, without the number of languages
    about: str  # what it is and how to use it, in Markdown
    task: str  # a task of the Hugging Face hub
    summaries: Sequence[Summary]  # of its test sets
    rows: int = 0  # how many rows all files have
    files: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """By configuration and split; the first configuration is the default."""

    @property
    def title(self) -> str:
        """Its heading."""
        number = len(self.summaries)
        return f"{self.subject} in {number} language{'s' * (number != 1)}"


def _card(data: DataSet) -> str:
    of_languages = "\n\n".join([_table(data.summaries), *notes(data.summaries)])
    return (
        f"{_MARK}{version('testgen-evaluator')}\n{_metadata(data)}---\n\n"
        f"# {data.title}\n\n{data.about}\n\n"
        f"## Languages\n\n{of_languages}\n\n"
        f"## Origin\n\n{_origin(data.summaries)}\n\n"
        f"## Licence\n\n{_licence_paragraph(data.summaries)}\n\n"
        f"## How to cite\n\n{citation(data.summaries)}\n\nThe kind of test is from:\n\n"
        f"```bibtex\n{template('citation.bib')}\n```\n"
    )


def template(name: str) -> str:
    """A text in the folder `templates`, without the end of its last line."""
    return (files("testgen.exports") / "templates" / name).read_text("utf-8").removesuffix("\n")


def test_set_files(summaries: Sequence[Summary]) -> DataSet:
    """The data set of test set files as testgen writes them, one for each language."""
    return DataSet("Words by category", template("test_sets.md"), "feature-extraction", summaries)


def describing_files(data: DataSet) -> dict[str, str]:
    """The texts that go with every copy of a data set, by file name: the card, and the licence if any."""
    licence = _license_text(data.summaries)
    return {CARD: _card(data)} | ({LICENSE: licence} if licence else {})


def _with_digests(card: str, digests: Mapping[str, str]) -> str:
    """A card that names, in comments of its metadata, the files beside it with their SHA-256."""
    mark, metadata = card.split("\n", 2)[1:]
    comments = "".join(f"# {name} sha256:{digest}\n" for name, digest in sorted(digests.items()))
    return f"---\n{mark}\n{comments}{metadata}"


def _metadata(data: DataSet) -> str:
    tags = [tag_of(summary.language) for summary in data.summaries]
    configs = [
        {
            "config_name": name,
            "data_files": [{"split": split, "path": path} for split, path in splits.items()],
            "default": not number,
        }
        for number, (name, splits) in enumerate(data.files.items())
    ]
    known = {
        "pretty_name": data.title,
        **hub_license(data.summaries),
        # The hub takes two or three letters as a language; the whole tags have a key of their own.
        "language": sorted({tag.partition("-")[0] for tag in tags} - {"und"}),
        "language_bcp47": [tag for tag in tags if "-" in tag],
        "task_categories": [data.task],
        "tags": ["testgen", "wikidata", "word-embeddings"],
        "size_categories": [_SIZES[min(max(0, len(str(data.rows)) - 3), 5)]] if data.rows else [],
        "configs": configs,
    }
    # JSON is YAML, and quotes "no" and "1.0".
    return "".join(f"{key}: {json.dumps(value)}\n" for key, value in known.items() if value)


def tag_of(code: str) -> str:
    """The BCP 47 tag of a language."""
    known = languages().get(code)
    return known.tag if known else code


def _table(summaries: Sequence[Summary]) -> str:
    columns = ["language", "name", *dict.fromkeys(key for summary in summaries for key in summary.size)]
    rows = [columns, ["---"] * 2 + ["---:"] * (len(columns) - 2)]
    for summary in summaries:
        code = from_tag(summary.language)
        name = languages()[code].name if code else ""
        rows.append([summary.language, name, *(f"{summary.size.get(key, 0):,}" for key in columns[2:])])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def origins(summaries: Iterable[Summary]) -> list[Provenance]:
    """The different sources of words, and those that are combined in one."""
    sources = (source for summary in summaries for source in (summary.source, *summary.related))
    every = (origin for source in sources for origin in _parts(source))
    named = (structs.replace(origin, languages=None) for origin in every if origin.languages != ())
    return list(dict.fromkeys(named))


def _parts(source: Provenance) -> Iterator[Provenance]:
    if not source.parts:
        yield source
    for part in source.parts:
        yield from _parts(part)


def _described(origin: Provenance) -> str:
    date = f" of {origin.date}" if origin.date else ""
    where = f", {origin.endpoint}" if origin.endpoint else ""
    digest = f" (SHA-256 {origin.sha256})" if origin.sha256 else ""
    return visible(f"{origin.name}{date}{where}{digest}")


def _origin(summaries: Sequence[Summary]) -> str:
    lines = "".join(f"- {_described(origin)}\n" for origin in origins(summaries))
    return (
        f"The items and their names are from:\n\n{lines}\nItems have Wikidata's ids, unless a prefix such as "
        "`omw:` names another source. People who write these names decide what they are: a name may be "
        "wrong, or missing, and rarely named languages have more of both."
    )


def _license_text(summaries: Iterable[Summary]) -> str:
    stated = dict.fromkeys(origin.license for origin in origins(summaries) if origin.license)
    return "\n\n".join(stated)


def hub_license(summaries: Iterable[Summary]) -> dict[str, str]:
    """The licence in the metadata of a card; of one that the hub does not know, the text is in LICENSE."""
    names = {_license_name(origin) for origin in origins(summaries)}
    name = names.pop() if len(names) == 1 else "several"
    if _HUB_LICENSE.fullmatch(name):
        return {"license": name}
    return {"license": "other", "license_name": name, "license_link": LICENSE}


def license_pages(summaries: Iterable[Summary]) -> list[str | dict[str, str]]:
    """For programs: the page of each stated licence, or the words of one whose page is not known."""
    stated = {_license_name(origin): origin.license or "" for origin in origins(summaries)}
    ids = {"unicode-3.0": "Unicode-3.0"} | {name: name.upper() for name in stated if _COMMONS.fullmatch(name)}
    stated |= {name: f"https://spdx.org/licenses/{ids[name]}.html" for name in ids.keys() & stated}
    named = (text for name, text in stated.items() if name != "unknown")
    return [text if text.startswith("http") else {"@type": "sc:CreativeWork", "name": text} for text in named]


def _license_name(origin: Provenance) -> str:
    """`cc-by-4.0` for `CC BY 4.0` and for the URL of that licence."""
    stated = origin.license
    if not stated or stated == "no licence stated":
        return "cc0-1.0" if origin.kind == "wikidata" else "unknown"
    if stated.startswith("UNICODE LICENSE V3"):
        return "unicode-3.0"
    text = re.sub(r"https?://creativecommons\.org/(licenses|publicdomain)/", "cc-", stated.lower())
    return "-".join(re.findall(r"[a-z0-9.]+", text.replace("cc-zero", "cc0")))[:60]


def _licence_paragraph(summaries: Sequence[Summary]) -> str:
    if _license_text(summaries):
        return f"The names have the licence of their source: see [{LICENSE}]({LICENSE})."
    if hub_license(summaries) == {"license": "cc0-1.0"}:
        return "The content of Wikidata is in the public domain (CC0)."
    return "The source states no licence. The content of Wikidata is in the public domain (CC0)."


def citation(summaries: Iterable[Summary]) -> str:
    """What to write in a publication about the data."""
    sources = "; ".join(map(_described, origins(summaries)))
    return f"Test sets made with testgen {version('testgen-evaluator')} from {sources}."


def bibtex(test_sets: Sequence[TestSet], digests: Mapping[str, str]) -> str:
    """An entry of BibTeX for some test sets, with the SHA-256 of their files by name."""
    summaries = [Summary.of(each) for each in test_sets]
    names = [languages()[each.language].name for each in summaries if each.language in languages()]
    made = " and ".join(dict.fromkeys(each.generator for each in test_sets))
    dates = [each.retrieved or each.date or "" for each in origins(summaries)]
    fields = {
        "title": f"Words by category in {', '.join(names) or 'emoji'}: test sets for word embeddings",
        "howpublished": f"Made with {made} from {'; '.join(map(_described, origins(summaries)))}",
        "note": ", ".join(f"{name} (SHA-256 {digest})" for name, digest in digests.items()),
        "year": max(dates, default="")[:4],
    }
    escaped = {key: visible(value).translate(_LATEX) for key, value in fields.items() if value}
    lines = ",\n".join(f"  {key} = {{{value}}}" for key, value in escaped.items())
    return f"@misc{{testgen-{'-'.join(each.language for each in summaries)},\n{lines}\n}}"


def licences(test_sets: Iterable[TestSet]) -> dict[str, str]:
    """The short name of the licence of each source of some test sets."""
    return {each.name: _license_name(each) for each in origins(map(Summary.of, test_sets))}


def notes(summaries: Iterable[Summary]) -> list[str]:
    """What a publication has to say about some test sets beside where they are from, in sentences."""
    summaries, corrected = list(summaries), dict[Corrected, list[str]]()
    for each in summaries:
        if each.corrections:
            corrected.setdefault(each.corrections, []).append(each.language)
    mended = [f"Corrected in {', '.join(codes)}: {_changes(each)}." for each, codes in corrected.items()]
    stand_ins = stand_ins_described(named for each in summaries for named in each.stand_ins)
    return [visible(each) for each in (*stand_ins, *mended)]


def _changes(corrected: Corrected) -> str:
    table = f"words of {corrected.name} (SHA-256 {corrected.sha256}) in place of those of the source"
    left_out = f"without the items {', '.join(corrected.without)}"
    return "; ".join([table] * bool(corrected.name) + [left_out] * bool(corrected.without))


@contextmanager
def prepared(folder: Path, names: Iterable[str], *, force: bool) -> Iterator[None]:
    """Check before any work that a folder can take the files of an export, and keep other processes out.

    Where the export fails, no folder is left that was created for it and has no files.
    """
    if folder.is_file():
        raise OutputError(f"{folder}: is a file; name the folder of the export after the test sets")
    with writing_to(folder), _created(folder), locked(folder):
        card = folder / CARD
        ours = card.is_file() and card.read_bytes().startswith(_MARK.encode())
        there = [name for name in (CARD, LICENSE, *names) if (folder / name).exists()]
        if there and not ours and not force:
            raise OutputError(
                f"{folder / there[0]}: this file exists, and testgen did not write it; name another "
                "folder, or overwrite it with --force"
            )
        yield


@contextmanager
def _created(folder: Path) -> Iterator[None]:
    """Create a folder, and delete it after an error if it was not there and is empty."""
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    try:
        yield
    except BaseException:
        for each in missing:
            with suppress(OSError):  # it has files
                each.rmdir()
        raise


def replaced(folder: Path, files: Mapping[str, bytes]) -> list[str]:
    """The files of an earlier export that are deleted, or get another content, if others are written."""
    names = dict.fromkeys([*_earlier(folder), *files])
    there = {name: (folder / name).read_bytes() for name in names if (folder / name).is_file()}
    return [name for name, content in there.items() if files.get(name) != content]


def _earlier(folder: Path) -> dict[str, str]:
    """The names and digests of the files of an earlier export, by its card."""
    card = (folder / CARD).read_text("utf-8", "replace") if (folder / CARD).is_file() else ""
    return dict(_DIGEST.findall(card.partition("\n---\n")[0] if card.startswith(_MARK) else ""))


def write_data_set(folder: Path, data: DataSet, files: Mapping[str, bytes]) -> list[str]:
    """Write a data set; delete unchanged files of an earlier export, and return their names."""
    # Until all are written, the card says that the export is unfinished, so that it can be run again.
    described = describing_files(data)
    card = described.pop(CARD)
    files = {**files, **{name: text.encode() for name, text in described.items()}}
    digests = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
    before = _earlier(folder)
    unfinished = f"{_MARK}{version('testgen-evaluator')}\n---\n\nThis export is unfinished: run it again.\n"
    _write(folder / CARD, _with_digests(unfinished, before | digests).encode())
    for name, content in files.items():
        _write(folder / name, content)
    deleted = []
    for path, digest in ((folder / name, digest) for name, digest in before.items() if name not in files):
        if path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == digest:
            path.unlink()
            deleted.append(path.name)
    _write(folder / CARD, _with_digests(card, digests).encode())
    return deleted


def _write(path: Path, content: bytes) -> None:
    with atomic_write(path) as temporary:
        temporary.write_bytes(content)
