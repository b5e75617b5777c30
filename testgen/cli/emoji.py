"""The command `emoji`: writing a test set of emoji."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from testgen.cli import options
from testgen.cli.options import MADE, OUTPUT, SOURCE, WORDS, option
from testgen.cli.output import echo


def emoji(
    by: Annotated[Literal["subgroup", "group"], option(MADE, "What makes a category.")] = "subgroup",
    minimum_words: Annotated[
        int, option(MADE, "Leave out categories with fewer emoji.", metavar="N", min=1)
    ] = 3,
    policy: Annotated[
        list[str] | None,
        option(
            WORDS,
            "Keep U+FE0F, which few vocabularies have (variation-selectors=keep), or emoji that have a skin "
            "tone (skin-tones=keep). May be repeated.",
            metavar="NAME=VALUE",
        ),
    ] = None,
    emoji_test: Annotated[
        Path | None,
        option(
            SOURCE,
            "Unicode's emoji-test.txt. By default the one of Debian's package unicode-data.",
            metavar="FILE",
        ),
    ] = None,
    output: Annotated[Path, option(OUTPUT, "The test set.", "--output", "-o", metavar="FILE")] = Path(
        "emoji.json"
    ),
    force: options.Force = False,
    *,
    results: options.ResultOptions,
) -> None:
    """Write a test set of emoji, from the groups of Unicode's emoji-test.txt.

    For example: testgen emoji --emoji-test emoji-test.txt --output emoji.json
    """
    import pandas as pd

    from testgen.generation.emoji import EmojiPolicy, emoji_test_set
    from testgen.system import check_overwrite
    from testgen.testset.writing import is_test_set, write

    check_overwrite(output, is_test_set, force=force)
    chosen = EmojiPolicy(minimum_words=minimum_words).with_choices(*(policy or ()))
    written = emoji_test_set(emoji_test, by, chosen)
    write(written, output)
    rows = [(category.name, category.topic, category.size, str(output)) for category in written.categories]
    frame = pd.DataFrame(rows, columns=["name", "topic", "size", "file"])
    source, words = written.source, sum(category.size for category in written.categories)
    origin = f"{source.name} of {source.date}" if source.date else source.name
    said = f"{output}: {origin}. Categories: {len(written.categories)}. Emoji: {words:,}."
    results.show(frame, lambda: echo(said))
