"""How fast dumps are read, and in how much memory, beside other readers and the tools of the shell.

200 MB of text take some minutes; `--full` is 5 GB, `--size` any number of megabytes. The dump is made of real
entities where there are some (TESTGEN_SHARED_DATA), repeated and renumbered, else of made-up ones.

Every reader runs in a process of its own; the processor time is that of its children too. Clusters are
processes of this machine; and hosts, as root and where iproute2 is, are network namespaces of it.
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
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import cache, partial
from itertools import count
from pathlib import Path
from typing import Any

from common import table, write

from evaluator.execution.processes import cores
from tests.servers.cluster import DaskCluster
from tests.servers.hosts import Hosts, no_hosts

WHOLE = 1.6e12  # bytes of text in the dump of all of Wikidata
CORES = (2, 16, 64)
CHUNK = 40_000_000
HOSTS = 3
_ID = re.compile(rb'(?<=\{"type":"item","id":"Q)[0-9]+')
WHOLE_COMMAND = "testgen snapshot create, all cores"
PACKERS = {".gz": partial(gzip.compress, compresslevel=6), ".bz2": bz2.compress}
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


def numbered(first: int) -> Iterator[bytes]:
    """Lines of a dump without end, each with a number of its own."""
    for times in count():
        for number, line in enumerate(entities(), first + times * len(entities())):
            yield _ID.sub(b"%d" % number, line, count=1)


def packed_chunk(size: int, packers: Sequence[str], number: int) -> tuple[int, dict[str, bytes]]:
    """Some lines of a dump: how many bytes they are, and packed, by the ending of such files."""
    chunk = bytearray()
    for line in numbered(1 + number * 1_000_000):
        chunk += line + b",\n"
        if len(chunk) >= size:
            break
    text = bytes(chunk)
    return len(text), {ending: PACKERS[ending](text) for ending in packers}


def make_dumps(folder: Path, size: int, shares: Mapping[str, float]) -> dict[str, tuple[Path, int]]:
    """Writes dumps of a size, or of a share of it, by name; the ending of a name says how it is packed.

    Returns:
        The path of each, and how many bytes of text there are in it.
    """
    chunk = min(CHUNK, max(1, size // 10))
    times = max(10, round(size / chunk))
    sizes = dict.fromkeys(shares, 0)
    packers = sorted({Path(name).suffix for name in shares})

    def add(name: str, text: bytes, length: int) -> None:
        sizes[name] += length
        with (folder / name).open("ab") as file:
            file.write(text)

    def add_line(line: bytes) -> None:
        for name in shares:
            add(name, PACKERS[Path(name).suffix](line), len(line))

    add_line(b"[\n")
    with ProcessPoolExecutor(cores()) as pool:
        for begun in range(0, times, cores()):  # few at a time, for memory
            numbers = range(begun, min(times, begun + cores()))
            chunks = pool.map(partial(packed_chunk, chunk, packers), numbers)
            for number, (length, packed) in zip(numbers, chunks, strict=True):
                for name in (name for name, share in shares.items() if number < round(share * times)):
                    add(name, packed[Path(name).suffix], length)
    add_line(b"]\n")
    return {name: (folder / name, length) for name, length in sizes.items()}


def by_testgen(path: Path, scheduler: str | None, workers: int, names: tuple[str, ...]) -> int:
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
    return sum(piece.size for _, piece in run_each(read, blocks, workers, scheduler))


def by_command(path: Path, _: str | None, names: tuple[str, ...]) -> int:
    """All that `testgen snapshot create --dump` does, up to the snapshot."""
    import testgen
    from testgen.dumps.make import create_from_dumps

    queries = testgen.choose(names, every_language=True)
    begun()
    return create_from_dumps(path.with_suffix(".ttl.gz"), queries, [path]).read


def only_unpacked(path: Path, _: str | None) -> int:
    """What the process that hands out the blocks of a gzip file does."""
    from testgen.dumps.blocks import Cutting, Position
    from testgen.dumps.dumpfile import dump_file

    begun()
    return sum(len(block.text or b"") for block in Cutting(dump_file(path), Position()).blocks())


def by_loop(path: Path, _: str | None) -> int:
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


def by_qwikidata(path: Path, _: str | None) -> int:
    """qwikidata's reader of dumps."""
    from qwikidata.json_dump import WikidataJsonDump

    begun()
    found = sum("P31" in each["claims"] for each in WikidataJsonDump(str(path)))
    return found and 0


def by_grep(path: Path, _: str | None) -> int:
    """What the shell does."""
    unpack = "bzcat" if path.suffix == ".bz2" else "zcat"
    begun()
    command = f"{unpack} '{path}' | LC_ALL=C grep -c '\"P31\"' >&2"
    subprocess.run(["/bin/sh", "-c", command], check=True)  # noqa: S603
    return 0


READERS: dict[str, Callable[[Path, str | None], int]] = {
    "testgen, 1 worker": partial(by_testgen, workers=1, names=NARROW),
    "testgen, 2 workers": partial(by_testgen, workers=2, names=NARROW),
    "testgen, 1 worker, all queries": partial(by_testgen, workers=1, names=()),
    "testgen, 2 workers, all queries": partial(by_testgen, workers=2, names=()),
    "testgen, Dask": partial(by_testgen, workers=1, names=()),
    WHOLE_COMMAND: partial(by_command, names=NARROW),
    "testgen, unpacking alone": only_unpacked,
    "loop of gzip or bz2 and json": by_loop,
    "qwikidata": by_qwikidata,
    "zcat or bzcat, and grep": by_grep,
}
_BEGUN = (0.0, 0.0)


def chosen(file: str) -> list[str]:
    """The readers that read a file of their own accord."""
    apart = {"testgen, Dask", WHOLE_COMMAND}
    if file.endswith(".bz2"):
        apart.add("testgen, unpacking alone")
    return [name for name in READERS if name not in apart]


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


def run_one(name: str, path: Path, scheduler: str | None) -> None:
    """Run a reader in this process and print what it took, as JSON."""
    memory = Memory()
    memory.start()
    size = READERS[name](path, scheduler)
    seconds, own = time.perf_counter() - _BEGUN[0], time.process_time() - _BEGUN[1]
    memory.look()
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    took = {"bytes": size, "seconds": seconds, "processor": own + children.ru_utime + children.ru_stime}
    print(json.dumps(took | {"own MB": memory.own, "child MB": memory.of_child}))


def measure(name: str, path: Path, size: int, before: Iterable[str] = (), *more: str) -> dict[str, Any]:
    """Run a reader in a process of its own, behind a command and with more arguments."""
    command = [*before, sys.executable, __file__, "--reader", name, "--file", str(path), *more]
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
        "memory of a worker MB": took["child MB"] if "workers" in name or "cores" in name else 0.0,
    }


def on_clusters(folder: Path, path: Path, size: int) -> Iterator[dict[str, Any]]:
    """Run this reader on clusters of this machine; of their memory and processor time nothing is known."""
    for how, workers, hosts in (("local", 1, False), ("local", 2, False), ("hosts", HOSTS, True)):
        reason = no_hosts() if hosts else None
        if reason:
            print(f"no {how}: {reason}", file=sys.stderr)
            continue
        with cluster(folder / f"{how}{workers}", workers, hosts) as (address, before):
            row = measure("testgen, Dask", path, size, before, "--scheduler", address)
        unknown = dict.fromkeys(("MB/s per core", "memory MB"))
        many = "worker" if workers == 1 else "workers"
        yield row | unknown | {"reader": f"testgen, Dask, {workers} {many}, {how}"}


@contextmanager
def cluster(folder: Path, workers: int, on_hosts: bool) -> Iterator[tuple[str, list[str]]]:
    """A cluster's address, and what must come before a command that can reach it."""
    names = ["scheduler", *(f"worker{number}" for number in range(workers)), "client"]
    with ExitStack() as stack:
        hosts = stack.enter_context(Hosts(names)) if on_hosts else None
        made = stack.enter_context(DaskCluster(folder, workers, hosts=hosts))
        made.wait_for_workers()
        yield made.address, hosts.command("client", []) if hosts else []


def hours(results: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A model, no measurement: the whole dump, if processors were all that counted.

    Of a gzip file one process unpacks everything, so that more cores help until the others keep up with it.
    """
    found = {(each["file"], each["reader"]): each["MB/s per core"] for each in results}
    one = "testgen, 2 workers, all queries"  # with what it costs to hand blocks over
    unpacking = found["gzip", "testgen, unpacking alone"]
    rows = []
    for number in CORES:
        by_gzip = min(unpacking, number * found["gzip", one])
        rows.append(
            {
                "cores": number,
                "gzip": WHOLE / by_gzip / 1e6 / 3600,
                "bzip2": WHOLE / (number * found["bzip2", one]) / 1e6 / 3600,
                "loop, one core": WHOLE / found["gzip", "loop of gzip or bz2 and json"] / 1e6 / 3600,
            }
        )
    return rows


def markdown(results: list[dict[str, Any]], model: list[dict[str, Any]]) -> str:
    """The measurements, and what they would mean for the whole dump."""
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
    """Run the command on dumps of growing size; what it finds grows with them."""
    dumps = make_dumps(folder, size, {f"{share}.gz": share for share in SHARES})
    return [measure(WHOLE_COMMAND, *dump) for dump in dumps.values()]


def growth_markdown(results: list[dict[str, Any]]) -> str:
    """Time and memory, size by size."""
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
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--full", action="store_true", help="5 GB of text")
    parser.add_argument("--size", type=float, default=200, metavar="MB", help="megabytes of text")
    parser.add_argument("--output", type=Path, help="the folder for the figures")
    parser.add_argument("--growth", action="store_true", help="only how the command grows with the size")
    parser.add_argument("--reader", help=argparse.SUPPRESS)
    parser.add_argument("--file", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--scheduler", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.reader:
        run_one(arguments.reader, arguments.file, arguments.scheduler)
        return
    with tempfile.TemporaryDirectory(prefix="dumps-") as name:
        folder = Path(name)
        size = int(5e9 if arguments.full else arguments.size * 1e6)
        if arguments.growth:
            grown = growth(folder, size)
            write(arguments.output, "dumps-growth", grown, growth_markdown(grown))
            return
        dumps = make_dumps(folder, size, {"all.gz": 1, "all.bz2": 1})
        results = [measure(reader, *dumps[file]) for file in dumps for reader in chosen(file)]
        results += on_clusters(folder, *dumps["all.bz2"])
    model = hours(results)
    write(arguments.output, "dumps", {"measured": results, "model": model}, markdown(results, model))


if __name__ == "__main__":
    main()
