"""What `evaluator translate` writes."""

from __future__ import annotations

from typing import ClassVar, Literal

from evaluator.plugins import ScoresFile


class TranslationFile(ScoresFile, frozen=True, kw_only=True, tag="translation"):
    """What `evaluator translate --json` writes: the scores of two sets of vectors on a dictionary."""

    command: ClassVar[str] = "evaluator translate --json"

    version: Literal[3] = 3  # type: ignore[assignment]  # of this format
