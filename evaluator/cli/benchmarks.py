"""`evaluator benchmarks`: the public data sets that `--test` fetches by name."""

from __future__ import annotations

from evaluator.cli.output import echo


def benchmarks() -> None:
    """List the public benchmarks that --test fetches by name, with their licences and what to cite.

    For example: evaluator benchmarks
    """
    from evaluator.datasets import names

    for each in names.benchmarks().values():
        kept = ", fetched" if each.path.exists() else ""
        echo(f"{each.name} ({each.language}{kept})\n    {each.cite}\n    {each.address}\n    {each.licence}")
