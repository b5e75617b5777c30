"""The settings in the signatures of scores, in words for people."""

from __future__ import annotations

_VALUES = {
    "norm:unit": "vectors of length 1",
    "norm:none": "vectors of their own length",
    "oov:wrong": "unknown words count as misses",
    "oov:skip": "unknown words are left out",
    "case:fold": "upper and lower case are the same",
    "case:exact": "upper and lower case differ",
    "case:upper": "words in upper case",
    "vocabulary:all": "the whole vocabulary",
    "multiword:join": "names of several words are joined",
    "multiword:mean": "names of several words are the mean of their words",
    "multiword:drop": "names of several words are left out",
    "levels:halved": "lower levels count half",
    "small-categories:score": "small categories are scored",
    "align:none": "not aligned",
    "align:procrustes": "aligned by Procrustes",
}

_NAMES = {
    "vocabulary": "the {} most frequent words",
    "profile": "spelling profile {}",
    "seed": "seed {}",
    "common": "only words that several models know ({})",
    "vocabulary-from": "vocabulary from {}",
    "words-of-vocabulary": "a vocabulary of {} words",
    "items": "the same items in all languages ({})",
    "asked-only": "only the words that {} knows",
    "version": "evaluator {}",
}
"""What settings with any value mean."""

_ABSENT = {
    "profile": "no spelling profile",
    "multiword": "names of several words as they are",
    "levels": "all levels count the same",
    "small-categories": "small categories are left out",
    "common": "also words that some models do not know",
    "items": "not the same items in all languages",
    "asked-only": "the same words for all models",
}
"""What it means that a signature lacks a setting."""


def setting_in_words(setting: str) -> str:
    """What a setting such as `oov:wrong` means; one that is not known stays as it is."""
    name, _, value = setting.partition(":")
    if name.endswith("vocabulary") and value.isascii() and value.isdigit():
        value = f"{int(value):,}"
    if setting in _VALUES:
        return _VALUES[setting]
    return _NAMES[name].format(value) if name in _NAMES else f"{name} {value}"


def absence_in_words(name: str) -> str:
    """What it means that there is no such setting, where others have one."""
    return _ABSENT.get(name, f"no {name}")
