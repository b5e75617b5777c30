"""fastText's `.bin` files, written without fastText, and their vectors by a slow definition."""

from __future__ import annotations

import struct

import numpy as np


def write(path, words, rows, minn=3, maxn=6, floret=None, **changed):
    """Write a model.

    Args:
        path: Where to.
        words: The vocabulary; str or, for words that are not UTF-8, bytes.
        rows: The rows of words and then of n-grams, float32 of shape (v + buckets, d).
        minn: The length of the shortest n-grams.
        maxn: That of the longest.
        floret: Of a model of floret, its mode (1 is "fasttext", 2 "floret") and the number of hashes.
        changed: Numbers of the file that are otherwise than fastText writes them.
    """
    size, dimension = len(words), rows.shape[1]
    numbers = {
        "magic": 793712314,
        "version": 12,
        "dimension": dimension,
        **dict.fromkeys(("ws", "epoch", "min_count", "negative", "word_ngrams", "loss"), 1),
        "model": 2,
        "bucket": len(rows) - size,
        "minn": minn,
        "maxn": maxn,
        **({} if floret is None else {"mode": floret[0], "hashes": floret[1]}),
        "lr_update_rate": 100,
        "t": 1e-4,
        "size": size,
        "known": size,
        "labels": 0,
        "tokens": 10,
        "pruned": -1,
        "count": 1,
        "quantised": False,
        "height": len(rows),
        "width": dimension,
        **changed,
    }
    *header, count, quantised, height, width = numbers.values()
    entries = [word if isinstance(word, bytes) else word.encode() for word in words]
    with path.open("wb") as file:
        file.write(struct.pack("<14id3iqq" if floret is None else "<16id3iqq", *header))
        file.writelines(entry + b"\0" + struct.pack("<qb", count, 0) for entry in entries)
        file.write(bytes(8 * max(0, numbers["pruned"])))
        file.write(struct.pack("<?qq", quantised, height, width))
        file.write(rows.astype("<f4").tobytes())
        file.write(struct.pack("<?qq", False, size, dimension) + bytes(4 * size * dimension))
    return path


def buckets_of(word, minn, maxn, buckets):
    """The buckets of a word's n-grams in the order in which fastText adds them."""
    marked = f"<{word}>"
    places = [
        (start, end)
        for start in range(len(marked))
        for end in range(start + max(1, minn), min(start + maxn, len(marked)) + 1)
        if end - start > 1 or 0 < start < len(marked) - 1
    ]
    return [fnv(marked[start:end].encode()) % buckets for start, end in places]


def fnv(text):
    """fastText's hash: FNV-1a of 32 bits, but with bytes from 128 on as negative numbers."""
    value = 2166136261
    for byte in text:
        value = (value ^ (byte - 256 if byte >= 128 else byte)) % 2**32 * 16777619 % 2**32
    return value


def vector(word, row, ngrams, minn, maxn):
    """The vector of a word with a row of its own, or without one (None); `</s>` has no n-grams."""
    own = [] if row is None else [row]
    has_ngrams = len(ngrams) and word != "</s>"
    rows = own + [ngrams[at] for at in buckets_of(word, minn, maxn, len(ngrams))] if has_ngrams else own
    total = np.zeros(ngrams.shape[1], np.float32)
    for each in rows:
        total = total + each
    return total / np.float32(len(rows)) if rows else None
