"""Looking at the measures there are."""

from __future__ import annotations

import typer


def measures() -> None:
    """List the measures with what they count."""
    import inspect
    import textwrap

    from evaluator.measures import measure_classes

    described = [
        f"{measure()}\n{textwrap.indent(inspect.getdoc(measure) or '', '    ')}\n"
        for measure in measure_classes().values()
    ]
    typer.echo("\n".join(described), nl=False)
