"""Orthography profiles: spelling conventions by which words of a test set match those of a vocabulary.

>>> latin = parse_profile("latin")
>>> latin("Jūlius") == latin("Iulius")
True
"""

from __future__ import annotations

from evaluator.text.orthography.profile import Profile, parse_profile, profiles, suggested

__all__ = ["Profile", "parse_profile", "profiles", "suggested"]
