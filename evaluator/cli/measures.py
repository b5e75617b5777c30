"""`evaluator measures`: the measures there are."""

from __future__ import annotations

from evaluator.cli.output import echo


def measures() -> None:
    """List the measures, what they compute, and their parameters.

    For example: evaluator measures
    """
    import inspect
    import textwrap

    from evaluator.measures import measure_classes

    described = ((measure(), inspect.getdoc(measure) or "") for measure in measure_classes().values())
    texts = (f"{name}\n{textwrap.indent(text, '    ')}\n" for name, text in described)
    echo("\n".join(texts), nl=False)
