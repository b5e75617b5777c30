"""Vectors that spaCy looks up: `evaluator score latincy:encode --vocabulary-from words.txt …`."""

import numpy as np
import spacy

vocabulary = spacy.load("la_core_web_lg").vocab


def encode(words):
    return np.array([vocabulary.get_vector(word) for word in words])
