"""Runs worlds: takes each by all routes, and counts what was compared, refused and different."""

from __future__ import annotations

import argparse
import re
import shutil
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path

from evaluator.results.numbers import rate
from evaluator.results.score import ABOVE_CHANCE, COMBINED
from tests.worlds import changes, comparisons
from tests.worlds.generate import World, world
from tests.worlds.routes import Browser, Outcome, Routes

# What takes long is done in one world of so many.
PROCESSES, SEVERAL, CSV, REPORT, KEPT, PAGE, OTHERS = 500, 20, 12, 100, 12, 3, 4

AT_A_TIME = 50
_KINDS_SHOWN = 20
_NONE = re.compile(r"(?i)(?<![\w.'-])-?(nan|inf)(?![\w.'-])")


@dataclass
class Summary:
    """What was compared, and what differed."""

    worlds: int = 0
    compared: Counter[str] = field(default_factory=Counter)
    refusals: Counter[str] = field(default_factory=Counter)
    found: list[str] = field(default_factory=list)

    def add(self, other: Summary) -> None:
        """Take in those of other worlds."""
        self.worlds += other.worlds
        self.compared += other.compared
        self.refusals += other.refusals
        self.found += other.found

    def __str__(self) -> str:
        """For people; what differed comes last."""
        kinds = self.refusals.most_common(_KINDS_SHOWN)
        rest = self.refusals.total() - sum(number for _, number in kinds)
        return "\n".join(
            [
                f"{self.worlds:,} worlds, of which {len(self.found):,} differ",
                *(f"{number:>9,} {name}" for name, number in sorted(self.compared.items())),
                f"refused alike: {self.refusals.total():,}",
                *(f"{number:>9,} {name}" for name, number in kinds),
                *([f"{rest:>9,} for other reasons"] if rest else []),
                *self.found,
            ]
        )


def check(number: int, folder: Path, browser: Browser | None) -> Summary:
    """Compare all that is known of a world."""
    summary, made = Summary(worlds=1), world(number)
    found: dict[str, None] = {}
    try:
        for difference in _differences(made, folder, browser, summary):
            found[f"    {difference}"] = None
    except Exception:  # whatever goes wrong is a difference
        found["".join(f"    {each}" for each in traceback.format_exc(-6).splitlines(keepends=True))] = None
    if found:
        again = f"    again: python -m tests.worlds --world {number}"
        summary.found.append("\n".join([str(made), *found, again]))
    return summary


def _differences(made: World, folder: Path, browser: Browser | None, summary: Summary) -> Iterator[str]:
    routes = Routes(made, folder, browser)
    memory = routes.memory()
    for difference in comparisons.from_definitions(made, memory):
        if difference is None:
            summary.compared["measures by their definitions"] += 1
        else:
            yield f"memory: {difference}"
    for route, outcome in _outcomes(routes):
        summary.compared[route] += 1
        yield from (f"{route}: {each}" for each in comparisons.unlike(memory, outcome))
    if memory.refusal:
        summary.refusals[re.sub(r"'[^']*'|\d+|\"[^\"]*\"| \(.*", "…", memory.refusal)[:90]] += 1
    yield from _other_outputs(routes, memory, summary)
    for kind, difference in comparisons.of_other_kinds(routes) if made.number % OTHERS == 0 else ():
        if difference is None:
            summary.compared[f"{kind} of other data sets"] += 1
        else:
            yield f"{kind}: {difference}"
    for name, holds, changed in changes.changes(made):
        summary.compared[name] += 1
        yield from (f"{name}: {each}" for each in comparisons.after(made, memory, holds, changed))


def _outcomes(routes: Routes) -> Iterator[tuple[str, Outcome]]:
    """What all routes give, which is to be the same to the last digit."""
    number = routes.world.number
    yield "text", routes.of_file("text")
    yield "binary", routes.of_file("binary")
    yield "converted", routes.converted()
    yield "--json", routes.as_json()
    if number % KEPT == 0:
        yield from routes.kept()
    if number % PROCESSES == 0:
        yield "a process", routes.as_json(process=True)
    if routes.how[1].oov == "skip":  # several models are asked only what all of them know
        return
    for divisor, workers in ((SEVERAL, 1), (PROCESSES, 2)):
        if number % divisor == 0:
            yield from ((f"two models, --workers {workers}", each) for each in routes.several(workers))


def _other_outputs(routes: Routes, memory: Outcome, summary: Summary) -> Iterator[str]:
    """What tables, reports and the page say."""
    number, made = routes.world.number, routes.world
    if not all(each["items"] for each in made.test_set["categories"]):
        return  # which no file can hold
    if number % CSV == 0:
        summary.compared["--csv"] += 1
        yield from (f"--csv: {each}" for each in _csv(routes))
    if number % REPORT == 0:
        summary.compared["--report"] += 1
        yield from (f"--report: {each}" for each in _report(routes, memory))
    if routes.browser is not None and number % PAGE == 0:
        summary.compared["the page of the service"] += 1
        yield from (f"the page of the service: {each}" for each in comparisons.from_page(routes))


def _csv(routes: Routes) -> Iterator[str]:
    printed, table = routes.as_csv()
    if printed != table:
        yield f"{printed[:300]}; of the library: {table[:300]}"
    if re.search(r"(^|,)-?(nan|inf)(,|$)", printed, re.MULTILINE):
        yield "a number is none"


def _report(routes: Routes, memory: Outcome) -> Iterator[str]:
    text, printed = routes.report()
    yield from comparisons.unlike(memory, printed)
    for each in printed.scores["scores"] if printed.scores else ():
        if each["measure"] not in (COMBINED, ABOVE_CHANCE) and rate(each["value"]) not in text:
            yield f"{each['measure']} {each['value']} is not in it"
    named_so = re.search("(?i)nan|inf", f"{routes.world.words} {routes.world.test_set}")
    if (none := _NONE.search(text)) and not named_so:
        yield f"a number is {none[0]}"


def run(numbers: range, node: str | None = None) -> Summary:
    """Check some worlds, in this process."""
    folder, summary = Path(tempfile.mkdtemp(prefix="worlds-")), Summary()
    browser = Browser(node, folder) if node is not None else None
    try:
        for number in numbers:
            summary.add(check(number, folder / "world", browser))
            shutil.rmtree(folder / "world", ignore_errors=True)
    finally:
        if browser is not None:
            browser.close()
        shutil.rmtree(folder, ignore_errors=True)
    return summary


def _run(task: tuple[range, str | None]) -> Summary:
    return run(*task)


def main() -> int:
    """Check worlds from the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.worlds", description=__doc__)
    parser.add_argument("--worlds", type=int, default=1000, help="how many")
    parser.add_argument("--seed", type=int, default=0, help="their numbers are from this times a million on")
    parser.add_argument("--world", type=int, help="only the world of this number")
    parser.add_argument("--processes", type=int, default=1, help="how many at a time")
    given = parser.parse_args()
    first = given.seed * 1_000_000 if given.world is None else given.world
    last = first + (given.worlds if given.world is None else 1)
    node = shutil.which("node")
    if node is None:
        sys.stderr.write("Node is not installed, so that the page of the service is left out\n")
    step = max(1, min(AT_A_TIME, (last - first) // given.processes // 10))
    tasks = [(range(start, min(start + step, last)), node) for start in range(first, last, step)]
    summary, begun = Summary(), time.monotonic()
    with ProcessPoolExecutor(given.processes, get_context("spawn")) as pool:
        try:
            for found in pool.map(_run, tasks):
                summary.add(found)
                sys.stderr.write("".join(f"{each}\n" for each in found.found))
                sys.stderr.write(f"{summary.worlds:,} worlds, {time.monotonic() - begun:.0f} seconds\n")
        except KeyboardInterrupt:
            sys.stderr.write("stopped; what was compared until then:\n")
            pool.shutdown(wait=False, cancel_futures=True)
    sys.stdout.write(f"{summary}\n")
    return int(bool(summary.found))
