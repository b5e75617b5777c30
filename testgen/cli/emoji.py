"""A test set of emoji."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from testgen.cli.options import Json

if TYPE_CHECKING:
    from testgen.testset import TestSet


def emoji(
    emoji_test: Annotated[
        Path | None,
        typer.Option("--emoji-test", metavar="FILE", help="Unicode's emoji-test.txt, if it is not Debian's."),
    ] = None,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The test set.")] = Path(
        "emoji.json"
    ),
    by: Annotated[str, typer.Option(metavar="subgroup|group", help="What makes a category.")] = "subgroup",
    variation_selectors: Annotated[
        str, typer.Option(metavar="drop|keep", help="What to do with U+FE0F, which few vocabularies have.")
    ] = "drop",
    skin_tones: Annotated[
        str, typer.Option(metavar="drop|keep", help="What to do with emoji that have a skin tone.")
    ] = "drop",
    minimum: Annotated[
        int, typer.Option(metavar="N", min=1, help="Leave out categories with fewer emoji.")
    ] = 3,
    as_json: Json = False,
) -> None:
    """Write a test set of emoji, from the groups of Unicode's emoji-test.txt."""
    from testgen.emoji import EmojiPolicy, write_emoji_test_set

    policy = EmojiPolicy(
        minimum_words=minimum,
        variation_selectors=variation_selectors,  # type: ignore[arg-type]  # EmojiPolicy checks
        skin_tones=skin_tones,  # type: ignore[arg-type]
    )
    written = write_emoji_test_set(output, emoji_test, by, policy)  # type: ignore[arg-type]  # checked there
    if as_json:
        rows = [
            {"name": each.query.name, "topic": each.query.topic, "size": each.size, "file": str(output)}
            for each in written.categories
        ]
        typer.echo(json.dumps(rows, ensure_ascii=False, indent=1))
        return
    typer.echo(_summary(written, output))


def _summary(written: TestSet, output: Path) -> str:
    source = written.provenance
    date = f" of {source.date}" if source.date else ""
    words = sum(category.size for category in written.categories)
    return f"{output}: {source.name}{date}. Categories: {len(written.categories)}. Emoji: {words}."
