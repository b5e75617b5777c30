"""`evaluator measures` and `evaluator benchmarks`: what there is to score by, and on."""

from __future__ import annotations

from evaluator.cli.output import echo_lines


def measures() -> None:
    """List the measures, what they compute, and their parameters.

    For example: evaluator measures
    """
    import inspect
    import textwrap

    from evaluator.measures import measure_classes

    described = ((measure(), inspect.getdoc(measure) or "") for measure in measure_classes().values())
    texts = (f"{name}\n{textwrap.indent(text, '    ')}\n" for name, text in described)
    echo_lines("\n".join(texts), nl=False)


def benchmarks() -> None:
    """List the public benchmarks that --test fetches by name, with their licences and what to cite.

    For example: evaluator benchmarks
    """
    from evaluator.datasets import names

    for each in names.benchmarks().values():
        kept = ", fetched" if each.path.exists() else ""
        echo_lines(
            f"{each.name} ({each.language}{kept})\n    {each.cite}\n    {each.address}\n    {each.licence}"
        )
