"""Language codes: which exist, how each is spelled, and in which scripts each language is written.

The tables that ship with testgen are here; the names that things have in a language are not (see
`sources`).
"""

from testgen.languages.codes import (
    canonical,
    fallbacks_of,
    from_code,
    from_tag,
    spellings_of,
    stand_in_map,
    tags_of,
    variants_of,
    whole_languages,
    without_labels,
)
from testgen.languages.table import (
    NEUTRAL,
    Language,
    in_other_script,
    languages,
    script_names,
    without_spaces,
    written_in_script_of,
)

__all__ = [
    "NEUTRAL",
    "Language",
    "canonical",
    "fallbacks_of",
    "from_code",
    "from_tag",
    "in_other_script",
    "languages",
    "script_names",
    "spellings_of",
    "stand_in_map",
    "tags_of",
    "variants_of",
    "whole_languages",
    "without_labels",
    "without_spaces",
    "written_in_script_of",
]
