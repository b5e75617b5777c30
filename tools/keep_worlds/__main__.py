"""Print the tables of docs/evidence/statistics.md: how often which answer was given, in percent.

A line of JSON for each world is kept in a file, so that a run can be resumed, or have more worlds.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from concurrent.futures import ProcessPoolExecutor
from itertools import chain
from pathlib import Path

from tools.keep_worlds.commands import ANSWERS, COMMANDS, POWER, Answer, Bench, Command
from tools.keep_worlds.companies import COMPANIES, DIFFERENCES, Company, of_difference
from tools.keep_worlds.worlds import World
from tools.tables import table

Answers = list[tuple[str, str, str, Answer]]
"""Name and variant of companies, commands, and what they answer."""


def answers(
    number: int,
    companies: Iterable[Company] = COMPANIES,
    commands: Mapping[str, Command] = COMMANDS,
    others: int = 1200,
) -> Answers:
    """What commands answer in a world.

    Args:
        number: The seed of the world.
        companies: Which models are scored.
        commands: What names models.
        others: How many words the world has beside those of its categories.
    """
    bench = Bench(World(number, others=others))
    return [
        (company.name, company.variant, name, command(bench, company))
        for company in companies
        for name, command in commands.items()
    ]


def of_power(number: int) -> Answers:
    """What `score` and the rule of 0.3.0 answer of two models, one of which knows more."""
    return answers(number, chain.from_iterable(map(of_difference, DIFFERENCES)), POWER)


def counted(path: Path, worlds: Iterable[int], *, variants: bool) -> dict[tuple[str, ...], Counter[Answer]]:
    """Of each company and command, how often there was which answer; of each variant if asked for."""
    found, wanted = defaultdict[tuple[str, ...], Counter[Answer]](Counter), {*worlds}
    for line in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
        for company, variant, command, answer in line["answers"] if line["world"] in wanted else ():
            found[(company, variant, command) if variants else (company, command)][answer] += 1
    return found


def run(path: Path, worlds: Iterable[int], workers: int, *, power: bool) -> None:
    """Ask of the worlds that are not in the file yet."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    done = {json.loads(line)["world"] for line in lines}
    missing = [number for number in worlds if number not in done]
    asked = of_power if power else answers
    with path.open("a", encoding="utf-8") as file, ProcessPoolExecutor(workers) as pool:
        for number, found in zip(missing, pool.map(asked, missing), strict=True):
            file.write(json.dumps({"world": number, "answers": found}) + "\n")
            file.flush()


def main() -> None:
    """Run what is missing, and print the table."""
    parser = argparse.ArgumentParser(prog="python -m tools.keep_worlds", description=__doc__)
    parser.add_argument("--worlds", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0, help="that of the first world; each has the next")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--power", action="store_true", help="two models, by how much one knows more")
    parser.add_argument(
        "--file", type=Path, help="where answers are kept; keep_worlds.jsonl, or keep_power.jsonl"
    )
    given = parser.parse_args()
    path = given.file or Path("keep_power.jsonl" if given.power else "keep_worlds.jsonl")
    worlds = range(given.seed, given.seed + given.worlds)
    run(path, worlds, given.workers, power=given.power)
    print(shown(counted(path, worlds, variants=given.power)))


def shown(found: Mapping[tuple[str, ...], Counter[Answer]]) -> str:
    """A row for each company and a column for each command: what was answered how often, in percent."""
    asked, commands = (
        list(dict.fromkeys(each)) for each in ([key[:-1] for key in found], [key[-1] for key in found])
    )
    head = ["company", *(["beside"] if len(asked[0]) > 1 else []), "cases", *commands]
    rows = []
    for company in asked:
        own = [found[(*company, command)] for command in commands]
        cells = (" / ".join(f"{100 * each[kind] / each.total():.0f}" for kind in ANSWERS) for each in own)
        rows.append([*company, f"{own[0].total():,}", *cells])
    return table(head, rows)


if __name__ == "__main__":
    main()
