"""Measures how fast dumps are read, and in how much memory, beside other readers and the tools of the shell.

200 MB of text take some minutes; `--full` reads 400, `--size` any number of megabytes. The dump is made of
real entities if there are some (TESTGEN_SHARED_DATA), repeated and renumbered, else of invented ones.

Every reader runs in a process of its own; the processor time includes that of its children.
"""

from __future__ import annotations

import argparse
import bz2
import gzip
import json
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from itertools import count
from pathlib import Path
from typing import Any

from common import command_line, table, write

from testgen.system import cores

WHOLE = 1.6e12  # bytes of text in the dump of all of Wikidata
CORES = (2, 8, 16)
CHUNK = 40_000_000
_ID = re.compile(rb'(?<=\{"type":"item","id":"Q)[0-9]+')
WHOLE_COMMAND = "testgen snapshot create, all cores"
ALL_QUERIES = "testgen, 2 workers, all queries"
NAMES = "testgen, names (second reading)"
UNPACKING, UNPACKING_WITH_MORE = (
    "testgen, unpacking for 2 workers",
    "testgen, unpacking for 8 workers",
)
COMPRESS = {".gz": partial(gzip.compress, compresslevel=6), ".bz2": bz2.compress}
SHARES = (0.1, 0.2, 0.5, 1)
NARROW = ("country", "weekday", "chemical-element")


@cache
def entities() -> list[bytes]:
    """Lines of a dump."""
    shared = Path(os.environ.get("TESTGEN_SHARED_DATA", Path(__file__).parents[2] / "shared" / "data"))
    path = shared / "wikidata" / "entities.json.gz"
    if path.exists():
        with gzip.open(path) as file:
            return [line.strip().rstrip(b",") for line in file if line.startswith(b"{")]
    return [made_up(random.Random(number)) for number in range(500)]  # noqa: S311


def made_up(rng: random.Random) -> bytes:
    """An invented entity of about the usual size and shape."""
    codes = ["en", "de", "fr", "la", "ru", "zh", "ar", "hi", "te", "sw"]
    labels = {code: {"language": code, "value": f"{code} {rng.random()}"} for code in codes}
    claims = {}
    for property_ in ["P31", *(f"P{rng.randrange(1, 2000)}" for _ in range(25))]:
        value = {"entity-type": "item", "numeric-id": (number := rng.randrange(10**6)), "id": f"Q{number}"}
        data = {"type": "wikibase-entityid", "value": value}
        snak = {"snaktype": "value", "property": property_, "datatype": "wikibase-item", "datavalue": data}
        references = [{"hash": f"{rng.random()}", "snaks": {"P248": [snak]}, "snaks-order": ["P248"]}]
        one = {"mainsnak": snak, "rank": "normal", "type": "statement", "id": "x", "references": references}
        claims[property_] = [one]
    entity = {
        "type": "item",
        "id": "Q1",
        "labels": labels,
        "descriptions": labels,
        "aliases": {},
        "claims": claims,
    }
    return json.dumps(entity, separators=(",", ":")).encode()


def numbered(first: int) -> Iterator[bytes]:
    """Endless lines of a dump, each with its own number."""
    for times in count():
        for number, line in enumerate(entities(), first + times * len(entities())):
            yield _ID.sub(b"%d" % number, line, count=1)


def compressed_chunk(size: int, endings: Sequence[str], number: int) -> tuple[int, dict[str, bytes]]:
    """Some lines of a dump: their number of bytes, and compressed, by the ending of such files."""
    chunk = bytearray()
    for line in numbered(1 + number * 1_000_000):
        chunk += line + b",\n"
        if len(chunk) >= size:
            break
    text = bytes(chunk)
    return len(text), {ending: COMPRESS[ending](text) for ending in endings}


def make_dumps(folder: Path, size: int, shares: Mapping[str, float]) -> dict[str, tuple[Path, int]]:
    """Write dumps of a size, or of a share of it; the ending of a name says how it is compressed.

    Returns:
        The path of each, and how many bytes of text there are in it.
    """
    chunk = min(CHUNK, max(1, size // 10))
    times = max(10, round(size / chunk))
    sizes = dict.fromkeys(shares, 0)
    endings = sorted({Path(name).suffix for name in shares})

    def add(name: str, text: bytes, length: int) -> None:
        sizes[name] += length
        with (folder / name).open("ab") as file:
            file.write(text)

    def add_line(line: bytes) -> None:
        for name in shares:
            add(name, COMPRESS[Path(name).suffix](line), len(line))

    add_line(b"[\n")
    with ProcessPoolExecutor(cores()) as pool:
        for started in range(0, times, cores()):  # few at a time, for memory
            numbers = range(started, min(times, started + cores()))
            chunks = pool.map(partial(compressed_chunk, chunk, endings), numbers)
            for number, (length, compressed) in zip(numbers, chunks, strict=True):
                for name in (name for name, share in shares.items() if number < round(share * times)):
                    add(name, compressed[Path(name).suffix], length)
    add_line(b"]\n")
    return {name: (folder / name, length) for name, length in sizes.items()}


def by_testgen(path: Path, workers: int, names: tuple[str, ...]) -> int:
    """The first reading, except for storing what it extracts and answering the queries."""
    import testgen
    from testgen.snapshots.dumps.dump_file import BlockReader, dump_file
    from testgen.snapshots.dumps.extraction import extract_all
    from testgen.snapshots.dumps.required_statements import required_patterns

    patterns = required_patterns(testgen.choose(names, worded=False), hierarchy=False)
    started()
    blocks = BlockReader(dump_file(path), workers)
    return sum(extract.size for extract in extract_all(blocks, patterns, workers))


def names_by_testgen(path: Path) -> int:
    """The second reading, for the names of every hundredth item."""
    from testgen.snapshots.dumps.creation import DumpReport, ReadOptions, read_names
    from testgen.snapshots.dumps.dump_file import BLOCK_SIZE, BlockReader, dump_file

    file = dump_file(path)
    size = sum(map(len, BlockReader(file, 2)))
    items = [f"Q{chunk * 1_000_000 + number}" for chunk in range(200) for number in range(0, 4000, 100)]
    started()
    options = ReadOptions(2, BLOCK_SIZE, lambda *_: None)
    read_names([file], DumpReport({}, items=items, total=size), path.with_suffix(".names"), options)
    return size


def by_command(path: Path, names: tuple[str, ...]) -> int:
    """Everything that `testgen snapshot create --dump` does."""
    import testgen
    from testgen.snapshots.dumps.creation import create_from_dumps

    queries = testgen.choose(names, worded=False)
    started()
    return create_from_dumps(path.with_suffix(".ttl.gz"), queries, [path]).total


def only_unpacked(path: Path, workers: int) -> int:
    """Unpacking and cutting into blocks, with the threads that there are for some workers."""
    from testgen.snapshots.dumps.dump_file import BlockReader, dump_file

    started()
    return sum(map(len, BlockReader(dump_file(path), workers)))


def by_loop(path: Path) -> int:
    """The loop that everybody writes first."""
    size = found = 0
    started()
    with bz2.open(path) if path.suffix == ".bz2" else gzip.open(path) as file:
        for line in file:
            size += len(line)
            text = line.strip().rstrip(b",")
            if text.startswith(b"{"):
                found += "P31" in json.loads(text)["claims"]
    return size


def by_qwikidata(path: Path) -> int:
    """qwikidata's reader of dumps."""
    from qwikidata.json_dump import WikidataJsonDump

    started()
    found = sum("P31" in each["claims"] for each in WikidataJsonDump(str(path)))
    return found and 0


def by_grep(path: Path) -> int:
    """The tools of the shell."""
    unpack = "bzcat" if path.suffix == ".bz2" else "zcat"
    started()
    command = f"{unpack} '{path}' | LC_ALL=C grep -c '\"P31\"' >&2"
    subprocess.run(["/bin/sh", "-c", command], check=True)  # noqa: S603
    return 0


READERS: dict[str, Callable[[Path], int]] = {
    "testgen, 1 worker": partial(by_testgen, workers=1, names=NARROW),
    "testgen, 2 workers": partial(by_testgen, workers=2, names=NARROW),
    "testgen, 1 worker, all queries": partial(by_testgen, workers=1, names=()),
    ALL_QUERIES: partial(by_testgen, workers=2, names=()),
    NAMES: names_by_testgen,
    WHOLE_COMMAND: partial(by_command, names=NARROW),
    UNPACKING: partial(only_unpacked, workers=2),
    UNPACKING_WITH_MORE: partial(only_unpacked, workers=8),
    "loop of gzip or bz2 and json": by_loop,
    "qwikidata": by_qwikidata,
    "zcat or bzcat, and grep": by_grep,
}
_STARTED = (0.0, 0.0)


def applies(reader: str, file: str) -> bool:
    """Whether a reader belongs into the table of readers of a file."""
    return reader != WHOLE_COMMAND and (reader != UNPACKING_WITH_MORE or file.endswith(".gz"))


def started() -> None:
    """Start the clocks, once everything is imported."""
    globals()["_STARTED"] = (time.perf_counter(), time.process_time())


class Memory(threading.Thread):
    """Watches the peak memory of this process and of each of its children."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.own, self.of_child = 0.0, 0.0

    def run(self) -> None:
        while True:
            self.look()
            time.sleep(0.1)

    def look(self) -> None:
        self.own = most_memory("self")
        tasks = Path("/proc/self/task").glob("*/children")
        children = {child for task in tasks for child in task.read_text().split()}
        self.of_child = max([self.of_child, *map(most_memory, children)])


def most_memory(process: str) -> float:
    """The peak memory of a process in megabytes; 0 if it is not known."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0.0
    found = re.search(r"VmHWM:\s+([0-9]+) kB", status)
    return int(found[1]) / 1024 if found else 0.0


def run_one(name: str, path: Path) -> None:
    """Run a reader in this process and print what it took, as JSON."""
    memory = Memory()
    memory.start()
    size = READERS[name](path)
    seconds, own = time.perf_counter() - _STARTED[0], time.process_time() - _STARTED[1]
    memory.look()
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    took = {"bytes": size, "seconds": seconds, "processor": own + children.ru_utime + children.ru_stime}
    print(json.dumps(took | {"own MB": memory.own, "child MB": memory.of_child}))


def measure(name: str, path: Path, size: int) -> dict[str, Any]:
    """Run a reader in a process of its own."""
    command = [sys.executable, __file__, "--reader", name, "--file", str(path)]
    run = subprocess.run(command, stdout=subprocess.PIPE, check=True)  # noqa: S603
    took = json.loads(run.stdout)
    if took["bytes"] not in (0, size):
        raise SystemExit(f"{name} read {took['bytes']} bytes of {size}")
    compression = "bzip2" if path.suffix == ".bz2" else "gzip"
    speed = size / took["seconds"] / 1e6
    print(f"{compression}: {name} {speed:.0f} MB/s", file=sys.stderr)
    return {
        "file": compression,
        "reader": name,
        "MB": size / 1e6,
        "seconds": took["seconds"],
        "MB/s": speed,
        "MB/s per core": size / took["processor"] / 1e6,
        "memory MB": took["own MB"],
        "memory of a worker MB": took["child MB"] if "workers" in name or "cores" in name else 0.0,
    }


def hours(results: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A model, not a measurement: both readings of the whole dump, if only processors counted.

    The second reading is that of one process, whatever the number of cores, but for the unpacking of bzip2.
    """
    found = {(each["file"], each["reader"]): each["MB/s per core"] for each in results}
    rows = []
    for number in CORES:
        # One thread unpacks gzip with up to 7 workers; with more, half as many as there are workers.
        threads, reader = (1, UNPACKING) if number < 8 else (number // 2, UNPACKING_WITH_MORE)
        by_gzip = min(threads * found["gzip", reader], number * found["gzip", ALL_QUERIES])
        by_bzip2 = number * found["bzip2", ALL_QUERIES]
        names_by_bzip2 = min(number * found["bzip2", NAMES], found["gzip", NAMES])
        rows.append(
            {
                "cores": number,
                "gzip": WHOLE * (1 / by_gzip + 1 / found["gzip", NAMES]) / 1e6 / 3600,
                "bzip2": WHOLE * (1 / by_bzip2 + 1 / names_by_bzip2) / 1e6 / 3600,
                "loop, one core": WHOLE / found["gzip", "loop of gzip or bz2 and json"] / 1e6 / 3600,
            }
        )
    return rows


def markdown(results: list[dict[str, Any]], model: list[dict[str, Any]]) -> str:
    """The measurements as a table, and the model of the whole dump."""
    loops = {each["file"]: each["MB/s"] for each in results if each["reader"].startswith("loop")}
    rows = []
    for each in results:
        memory = _whole(each["memory MB"])
        if each["memory of a worker MB"]:
            memory += f" + {each['memory of a worker MB']:.0f} a worker"
        cells = [
            *(each["file"], each["reader"], f"{each['MB']:,.0f}", f"{each['seconds']:.1f}"),
            *(_whole(each["MB/s"]), _whole(each["MB/s per core"])),
            *(f"{each['MB/s'] / loops[each['file']]:.1f}", memory),
        ]
        rows.append(cells)
    head = [
        *("file", "reader", "MB of text", "seconds", "MB/s", "MB/s per core", "× the loop"),
        "peak memory, MB",
    ]
    lines = [
        [f"{value:.1f}" if isinstance(value, float) else str(value) for value in each.values()]
        for each in model
    ]
    return (
        f"{table(head, rows)}\n\nHours for 1.6 TB of text with all queries: a model, no measurement\n\n"
        f"{table(list(model[0]), lines)}"
    )


def growth(folder: Path, size: int) -> list[dict[str, Any]]:
    """Run the command on dumps of growing size; what it extracts grows with them."""
    dumps = make_dumps(folder, size, {f"{share}.gz": share for share in SHARES})
    return [measure(WHOLE_COMMAND, *dump) for dump in dumps.values()]


def growth_markdown(results: list[dict[str, Any]]) -> str:
    """Time and memory by size, as a table."""
    rows = [
        [
            *(f"{each['MB']:,.0f}", f"{each['seconds']:.1f}", _whole(each["MB/s"])),
            *(_whole(each["memory MB"]), _whole(each["memory of a worker MB"])),
        ]
        for each in results
    ]
    return table(["MB of text", "seconds", "MB/s", "peak memory, MB", "and of each worker, MB"], rows)


def _whole(value: float | None) -> str:
    return "" if value is None else f"{value:.0f}"


def main() -> None:
    """Measure, print the tables, write the figures."""
    parser = command_line(__doc__, "400 MB of text")
    parser.add_argument("--size", type=float, default=200, metavar="MB", help="megabytes of text")
    parser.add_argument("--growth", action="store_true", help="only how the command grows with the size")
    parser.add_argument("--reader", help=argparse.SUPPRESS)
    parser.add_argument("--file", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.reader:
        run_one(arguments.reader, arguments.file)
        return
    with tempfile.TemporaryDirectory(prefix="dumps-") as name:
        folder = Path(name)
        size = int(4e8 if arguments.full else arguments.size * 1e6)
        if arguments.growth:
            grown = growth(folder, size)
            write(arguments.output, "dumps-growth", grown, growth_markdown(grown))
            return
        dumps = make_dumps(folder, size, {"all.json.gz": 1, "all.json.bz2": 1})
        results = [
            measure(reader, *dumps[file]) for file in dumps for reader in READERS if applies(reader, file)
        ]
    model = hours(results)
    write(arguments.output, "dumps", {"measured": results, "model": model}, markdown(results, model))


if __name__ == "__main__":
    main()
