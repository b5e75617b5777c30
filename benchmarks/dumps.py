"""How fast dumps are read, and in how much memory, beside other readers and the tools of the shell.

200 MB of text take some minutes; `--full` is 5 GB, `--size` any number of megabytes. The dump is made of real
entities where there are some (TESTGEN_SHARED_DATA), renumbered and repeated, else of made-up ones.

Every reader runs in a process of its own; the processor time is that of its children too.
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
from collections.abc import Callable, Iterator
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import Any

from common import table, write

WHOLE = 1.6e12  # bytes of text in the dump of all of Wikidata
CORES = (2, 16, 64)
CHUNK = 40_000_000
_ID = re.compile(rb'"id":"Q[0-9]+"')
NARROW = ("country", "weekday", "chemical-element")


def entities() -> Iterator[bytes]:
    """Lines of a dump without end."""
    shared = Path(os.environ.get("TESTGEN_SHARED_DATA", Path(__file__).parents[2] / "shared" / "data"))
    path = shared / "wikidata" / "entities.json.gz"
    if path.exists():
        with gzip.open(path) as file:
            lines = [line.strip().rstrip(b",") for line in file if line.startswith(b"{")]
    else:
        lines = [made_up(random.Random(number)) for number in range(500)]  # noqa: S311
    for number, line in enumerate(cycle(lines), 1):
        yield _ID.sub(b'"id":"Q%d"' % number, line, count=1)


def made_up(rng: random.Random) -> bytes:
    """An entity of about the usual size and shape."""
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


def make_dumps(folder: Path, size: int) -> dict[str, Path]:
    """Writes a dump of a size, packed with gzip and with bzip2, and a gzip file ten times as large."""
    lines, chunk = entities(), bytearray()
    while len(chunk) < min(CHUNK, size):
        chunk += next(lines) + b",\n"
    times, text = max(1, round(size / len(chunk))), bytes(chunk)
    # The same chunk again and again: packing five gigabytes would take longer than all that is measured.
    by_gzip, by_bzip2 = gzip.compress(text, 6), bz2.compress(text)
    paths = {name: folder / f"{name}.json.{name[:3]}" for name in ("gz", "bz2", "gz10")}
    for name, pack, packed, repeat in (
        ("gz", gzip.compress, by_gzip, times),
        ("bz2", bz2.compress, by_bzip2, times),
        ("gz10", gzip.compress, by_gzip, 10 * times),
    ):
        with paths[name].open("wb") as file:
            file.writelines([pack(b"[\n"), *repeated(packed, repeat), pack(b"]\n")])
    return paths


def repeated(packed: bytes, times: int) -> Iterator[bytes]:
    """The same again and again."""
    return (packed for _ in range(times))


def by_testgen(path: Path, workers: int, names: tuple[str, ...]) -> int:
    """This reader: all that a pass does but for appending to files."""
    import testgen
    from testgen.dumps.blocks import Cutting, Position
    from testgen.dumps.dumpfile import dump_file
    from testgen.dumps.needs import needs_of
    from testgen.dumps.parallel import run_each
    from testgen.dumps.pieces import read_block

    read = partial(read_block, needs_of(testgen.choose(names, every_language=True)))
    begun()
    blocks = Cutting(dump_file(path), Position()).blocks()
    return sum(piece.size for _, piece in run_each(read, blocks, workers))


def only_unpacked(path: Path) -> int:
    """What the process that hands out the blocks of a gzip file does."""
    from testgen.dumps.blocks import Cutting, Position
    from testgen.dumps.dumpfile import dump_file

    begun()
    return sum(len(block.text or b"") for block in Cutting(dump_file(path), Position()).blocks())


def by_loop(path: Path) -> int:
    """The loop that everybody writes first."""
    size = found = 0
    begun()
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

    begun()
    found = sum("P31" in each["claims"] for each in WikidataJsonDump(str(path)))
    return found and 0


def by_grep(path: Path) -> int:
    """What the shell does."""
    unpack = "bzcat" if path.suffix == ".bz2" else "zcat"
    begun()
    command = f"{unpack} '{path}' | LC_ALL=C grep -c '\"P31\"' >&2"
    subprocess.run(["/bin/sh", "-c", command], check=True)  # noqa: S603
    return 0


READERS: dict[str, Callable[[Path], int]] = {
    "testgen, 1 worker": partial(by_testgen, workers=1, names=NARROW),
    "testgen, 2 workers": partial(by_testgen, workers=2, names=NARROW),
    "testgen, 1 worker, all queries": partial(by_testgen, workers=1, names=()),
    "testgen, 2 workers, all queries": partial(by_testgen, workers=2, names=()),
    "testgen, unpacking alone": only_unpacked,
    "loop of gzip or bz2 and json": by_loop,
    "qwikidata": by_qwikidata,
    "zcat or bzcat, and grep": by_grep,
}
_BEGUN = (0.0, 0.0)


def begun() -> None:
    """Start the clocks, once everything is imported."""
    globals()["_BEGUN"] = (time.perf_counter(), time.process_time())


class Memory(threading.Thread):
    """Looks at the greatest memory that this process and each of its children have had, while they last."""

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
    """In megabytes; 0 if it is not known."""
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
    seconds, own = time.perf_counter() - _BEGUN[0], time.process_time() - _BEGUN[1]
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
    packing = "bzip2" if path.suffix == ".bz2" else "gzip"
    speed = size / took["seconds"] / 1e6
    print(f"{packing}: {name} {speed:.0f} MB/s", file=sys.stderr)
    return {
        "file": packing,
        "reader": name,
        "MB": size / 1e6,
        "seconds": took["seconds"],
        "MB/s": speed,
        "MB/s per core": size / took["processor"] / 1e6,
        "memory MB": took["own MB"],
        "memory of a worker MB": took["child MB"] if "workers" in name else 0.0,
    }


def hours(results: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A model, no measurement: the whole dump, if processors were all that counted.

    Of a gzip file one process unpacks everything, so that more cores help until the others keep up with it.
    """
    found = {(each["file"], each["reader"]): each["MB/s per core"] for each in results}
    one = "testgen, 1 worker, all queries"
    unpacking = found["gzip", "testgen, unpacking alone"]
    rows = []
    for cores in CORES:
        by_gzip = min(unpacking, cores * found["gzip", one])
        rows.append(
            {
                "cores": cores,
                "gzip": WHOLE / by_gzip / 1e6 / 3600,
                "bzip2": WHOLE / (cores * found["bzip2", one]) / 1e6 / 3600,
                "loop, one core": WHOLE / found["gzip", "loop of gzip or bz2 and json"] / 1e6 / 3600,
            }
        )
    return rows


def markdown(results: list[dict[str, Any]], model: list[dict[str, Any]]) -> str:
    """The measurements, and what they would mean for the whole dump."""
    loops = {each["file"]: each["MB/s"] for each in results if each["reader"].startswith("loop")}
    rows = []
    for each in results:
        memory = f"{each['memory MB']:.0f}"
        if each["memory of a worker MB"]:
            memory += f" + {each['memory of a worker MB']:.0f} a worker"
        speeds = [
            f"{each['MB/s']:.0f}",
            f"{each['MB/s per core']:.0f}",
            f"{each['MB/s'] / loops[each['file']]:.1f}",
        ]
        rows.append([each["file"], each["reader"], f"{each['MB']:,.0f}", *speeds, memory])
    head = ["file", "reader", "MB of text", "MB/s", "MB/s per core", "× the loop", "peak memory, MB"]
    lines = [
        [f"{value:.1f}" if isinstance(value, float) else str(value) for value in each.values()]
        for each in model
    ]
    return (
        f"{table(head, rows)}\n\nHours for 1.6 TB of text with all queries: a model, no measurement\n\n"
        f"{table(list(model[0]), lines)}"
    )


def main() -> None:
    """Measure, print the tables, write the figures."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--full", action="store_true", help="5 GB of text")
    parser.add_argument("--size", type=float, default=200, metavar="MB", help="megabytes of text")
    parser.add_argument("--output", type=Path, help="the folder for the figures")
    parser.add_argument("--reader", help=argparse.SUPPRESS)
    parser.add_argument("--file", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.reader:
        run_one(arguments.reader, arguments.file)
        return
    with tempfile.TemporaryDirectory(prefix="dumps-") as name:
        paths = make_dumps(Path(name), int(5e9 if arguments.full else arguments.size * 1e6))
        with gzip.open(paths["gz"]) as file:
            size = sum(len(part) for part in iter(partial(file.read, 1 << 24), b""))
        readers = {(file, reader) for file in ("gz", "bz2") for reader in READERS}
        readers -= {("bz2", "testgen, unpacking alone")}
        results = [measure(reader, paths[file], size) for file, reader in sorted(readers, key=_place)]
        large = 10 * (size - 4) + 4
        results += [measure("testgen, 2 workers, all queries", paths["gz10"], large)]
    model = hours(results)
    write(arguments.output, "dumps", {"measured": results, "model": model}, markdown(results, model))


def _place(each: tuple[str, str]) -> tuple[bool, int]:
    return each[0] == "bz2", list(READERS).index(each[1])


if __name__ == "__main__":
    main()
