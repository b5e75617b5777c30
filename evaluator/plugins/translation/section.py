"""The section of two sets of vectors on a dictionary: that of scores, with less of each category."""

from __future__ import annotations

from dataclasses import replace

from evaluator.plugins import Block, Column, Fold, Section, Table, scores_section
from evaluator.plugins.translation.result import TranslationFile


def translation_section(found: TranslationFile) -> Section:
    """All that is said of scores; of categories, a terminal shows the first of the ranks."""
    return _section(scores_section(found))


def _section(section: Section) -> Section:
    return replace(
        section,
        blocks=list(map(_block, section.blocks)),
        subsections=list(map(_section, section.subsections)),
    )


def _block(block: Block) -> Block:
    if isinstance(block, Fold):
        return replace(block, blocks=list(map(_block, block.blocks)))
    if not isinstance(block, Table):
        return block
    return replace(block, columns=[replace(each, detail=_is_detail(each)) for each in block.columns])


def _is_detail(column: Column) -> bool:
    is_further = column.group.startswith(("Translation", "MRR")) and not column.group.endswith("@1")
    return column.detail or is_further
