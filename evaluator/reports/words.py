"""What the words of tables mean."""

from __future__ import annotations

from evaluator.reports.page import Fact, Facts, Section

_TERMS = {
    "Topk@k": "the share of the k nearest neighbours of a word that are of its own category, the mean over "
    "the words and then the categories; from 0 to 1.",
    "OddOneOut@k": "how often a word from outside is recognised among k words of a category, as the one "
    "farthest from their mean; from 0 to 1.",
    "Combined": "the harmonic mean of Topk and OddOneOut, with 0.0001 added to each; it is high only if both "
    "are; from 0 to 1.",
    "Chance level": "the score that a model that knows nothing is expected to have on the same words.",
    "Same candidates": "the score if neighbours are looked for among the words that all models have, and "
    "test words; this decides which model is better, as neighbours are easier to find among fewer words.",
    "Group": "models that share a letter cannot be told apart.",
    "Rank": "the places that a model can have, with 95% confidence, by the tests of all pairs of models.",
    "Frequency baseline": "the score of a model that knows only how frequent words are.",
    "Spelling baseline": "the score of a model that knows only which letters words share, as fastText with "
    "random numbers does.",
    "Built words": "words outside the vocabulary whose vectors fastText builds from subwords. They are not "
    "known in scores, tests and ranks; the row “with built words” shows what they would add.",
    "95% interval": "95 of 100 such intervals, each from other words of the same kind, contain the true "
    "score.",
    "Verdict": "whether a score says something about meaning: its whole interval is above the chance level "
    "and, by a paired test of the difference, it is above each baseline. The interval alone does not show "
    "that.",
    "p (Holm)": "the p-value of a paired t-test, corrected for the number of tests that it is shown with.",
    "OOV": "out of vocabulary, a word of the test set that has no vector; every comparison with it is a "
    "miss, or with “oov skip” it is left out.",
    "Units": "scores are shares or correlations, and have no unit; a corpus is measured in tokens; words, "
    "pairs and questions are counted.",
}


def terms_section() -> Section:
    """The definitions of all words that tables of scores need."""
    return Section("What the words mean", [Facts([Fact(term, [text]) for term, text in _TERMS.items()])])
