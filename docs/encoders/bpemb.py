"""Words as the means of their pieces: `evaluator score bpemb:encode --vocabulary-from words.txt …`."""

import numpy as np
import sentencepiece

import evaluator

splitter = sentencepiece.SentencePieceProcessor(model_file="la.wiki.bpe.vs5000.model")
pieces = evaluator.load_vectors("la.wiki.bpe.vs5000.d100.w2v.bin")


def vector(word):
    rows = [pieces.index[each] for each in splitter.encode(word, out_type=str) if each in pieces.index]
    return pieces.matrix[rows].mean(axis=0) if rows else np.zeros(pieces.dimension)


def encode(words):
    return np.array([vector(word.lower()) for word in words])
