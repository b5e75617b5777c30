"""Compiled loops, for what NumPy can only do with arrays that are larger than the processor's caches.

All of them release the interpreter's lock, so that several threads can run them. They are compiled at their
first use, and the compiled code is cached. Counts are summed in loops: numba compiles these much faster than
NumPy's `sum`, which matters for the first use.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import types
from numba.extending import intrinsic

from evaluator.execution.compiling import compiled

Floats = npt.NDArray[np.float32] | npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Real = float | np.float32 | np.float64


def _add_wide_vectors(_typing: object) -> tuple[object, object]:
    def add_attribute(context: Any, builder: Any, _signature: object, _arguments: object) -> object:  # noqa: ANN401
        # The class knows no attributes of processors, but prints whatever is in the set.
        set.add(builder.function.attributes, '"prefer-vector-width"="512"')
        return context.get_dummy_value()

    return types.none(), add_attribute


use_wide_vectors: Callable[[], None] = intrinsic(_add_wide_vectors)  # type: ignore[assignment]
"""Called in a compiled function, makes it use vectors of 512 bits on processors that have them.

On Intel's, LLVM prefers 256 bits, with which counting takes 1.8 times as long.
"""


@compiled
def _insert(values: Floats, words: Ints, value: Real, word: int) -> None:
    rank = len(values) - 1
    while rank > 0 and values[rank - 1] < value:
        values[rank], words[rank] = values[rank - 1], words[rank - 1]
        rank -= 1
    values[rank], words[rank] = value, word


@compiled
def keep_nearest(similar: Floats, asked: Ints, start: int, own: Ints, values: Floats, words: Ints) -> None:
    """Merge a block of the vocabulary into the nearest words so far.

    Args:
        similar: Similarities, shape (q, block).
        asked: The rows of the test words in `similar`, shape (asked,).
        start: The vocabulary row of the block's first word.
        own: The vocabulary row of each test word, which is not its own neighbour, shape (asked,).
        values: The greatest similarities so far, greatest first, shape (asked, kept); changed in place.
        words: The vocabulary rows they belong to, shape (asked, kept); changed in place.
    """
    use_wide_vectors()
    columns = similar.shape[1]
    kept = values.shape[1]
    for number in range(len(asked)):
        row = asked[number]
        least = values[number, kept - 1]
        # Counting without a branch takes a few vector instructions; few rows have a greater value.
        better = np.int32(0)
        for column in range(columns):
            better = np.int32(better + np.int32(similar[row, column] > least))
        if better == 0:
            continue
        for column in range(columns):
            value = similar[row, column]
            if value <= least or start + column == own[number]:
                continue
            _insert(values[number], words[number], value, start + column)
            least = values[number, kept - 1]


@compiled
def count_odd_pairs_by_word(similar: Floats, gram: Floats, tie: Real, hits: Ints) -> None:
    """Count the pairs (S, w) in which w is the odd one, where S has two words, for each word of S.

    Args:
        similar: t·w for the n words t of the category and a block of words w, shape (n, block).
        gram: s·t, shape (n, n).
        tie: Sums that differ by no more than this are equal; of the type of `gram`.
        hits: Of the words, shape (n,); increased in place.
    """
    use_wide_vectors()
    n, block = similar.shape
    for i in range(n):
        for j in range(i + 1, n):
            limit = gram[i, j] - tie
            odd = np.int32(0)
            for w in range(block):
                odd = np.int32(odd + np.int32((similar[i, w] < limit) & (similar[j, w] < limit)))
            hits[i] += odd
            hits[j] += odd


@compiled
def count_odd_triples_by_word(similar: Floats, gram: Floats, tie: Real, hits: Ints) -> None:
    """The same for S of three words.

    The loop over the third word is unrolled by four; the innermost loop runs along the block and is what the
    compiler turns into vector instructions. Its lanes are added up for two counts at once, the second one
    times 2^16: for a block of fewer than 2^15 words.
    """
    use_wide_vectors()
    n, block = similar.shape
    for i in range(n):
        for j in range(i + 1, n):
            ij = gram[i, j] - tie
            rest = n - (n - j - 1) % 4
            for k in range(j + 1, rest, 4):
                i0, j0, k0 = ij + gram[i, k], ij + gram[j, k], gram[i, k] + gram[j, k] - tie
                i1, j1, k1 = ij + gram[i, k + 1], ij + gram[j, k + 1], gram[i, k + 1] + gram[j, k + 1] - tie
                i2, j2, k2 = ij + gram[i, k + 2], ij + gram[j, k + 2], gram[i, k + 2] + gram[j, k + 2] - tie
                i3, j3, k3 = ij + gram[i, k + 3], ij + gram[j, k + 3], gram[i, k + 3] + gram[j, k + 3] - tie
                h01, h23 = np.int32(0), np.int32(0)
                for w in range(block):
                    iw, jw = similar[i, w], similar[j, w]
                    both = iw + jw
                    w0, w1 = similar[k, w], similar[k + 1, w]
                    w2, w3 = similar[k + 2, w], similar[k + 3, w]
                    h0 = np.int32((jw + w0 < i0) & (iw + w0 < j0) & (both < k0))
                    h1 = np.int32((jw + w1 < i1) & (iw + w1 < j1) & (both < k1))
                    h2 = np.int32((jw + w2 < i2) & (iw + w2 < j2) & (both < k2))
                    h3 = np.int32((jw + w3 < i3) & (iw + w3 < j3) & (both < k3))
                    h01 = np.int32(h01 + h0 + np.int32(h1 << 16))
                    h23 = np.int32(h23 + h2 + np.int32(h3 << 16))
                first, second, third, fourth = h01 & 0xFFFF, h01 >> 16, h23 & 0xFFFF, h23 >> 16
                hits[k] += first
                hits[k + 1] += second
                hits[k + 2] += third
                hits[k + 3] += fourth
                of_pair = first + second + third + fourth
                hits[i] += of_pair
                hits[j] += of_pair
            for k in range(rest, n):
                i0, j0, k0 = ij + gram[i, k], ij + gram[j, k], gram[i, k] + gram[j, k] - tie
                odd = np.int32(0)
                for w in range(block):
                    iw, jw, w0 = similar[i, w], similar[j, w], similar[k, w]
                    odd = np.int32(odd + np.int32((jw + w0 < i0) & (iw + w0 < j0) & (iw + jw < k0)))
                hits[i] += odd
                hits[j] += odd
                hits[k] += odd


@compiled
def count_odd_quadruples_by_word(similar: Floats, gram: Floats, tie: Real, hits: Ints) -> None:
    """The same for S of four words; the last one of n, if it has no partner, is its own, and counts once."""
    use_wide_vectors()
    n, block = similar.shape
    ij, ik = np.empty(block, similar.dtype), np.empty(block, similar.dtype)
    jk, three = np.empty(block, similar.dtype), np.empty(block, similar.dtype)
    for i in range(n):
        for j in range(i + 1, n):
            for w in range(block):
                ij[w] = similar[i, w] + similar[j, w]
            for k in range(j + 1, n):
                for w in range(block):
                    ik[w], jk[w] = similar[i, w] + similar[k, w], similar[j, w] + similar[k, w]
                    three[w] = ij[w] + similar[k, w]
                of_i, of_j = gram[i, j] + gram[i, k] - tie, gram[i, j] + gram[j, k] - tie
                of_k, of_three = gram[i, k] + gram[j, k] - tie, np.int64(0)
                for m in range(k + 1, n, 2):
                    a = min(m + 1, n - 1)
                    i0, j0, k0 = of_i + gram[i, m], of_j + gram[j, m], of_k + gram[k, m]
                    i1, j1, k1 = of_i + gram[i, a], of_j + gram[j, a], of_k + gram[k, a]
                    m0 = gram[i, m] + gram[j, m] + gram[k, m] - tie
                    m1, odd = gram[i, a] + gram[j, a] + gram[k, a] - tie, np.int32(0)
                    for w in range(block):
                        iw, jw, kw, w0, w1 = jk[w], ik[w], ij[w], similar[m, w], similar[a, w]
                        h0 = np.int32((iw + w0 < i0) & (jw + w0 < j0) & (kw + w0 < k0) & (three[w] < m0))
                        h1 = np.int32((iw + w1 < i1) & (jw + w1 < j1) & (kw + w1 < k1) & (three[w] < m1))
                        odd = np.int32(odd + h0 + np.int32(h1 << 16))
                    first, second = odd & 0xFFFF, (a > m) * (odd >> 16)
                    hits[m] += first
                    hits[a] += second
                    of_three += first + second
                hits[i] += of_three
                hits[j] += of_three
                hits[k] += of_three


@compiled
def _inner_sum(gram: Floats, subset: Ints, s: int, tie: Real) -> Real:
    """Σ_{t∈S,t≠s} s·t minus the tie."""
    use_wide_vectors()
    inner = gram.dtype.type(-tie)
    for t in range(subset.size):
        if t != s:
            inner += gram[subset[s], subset[t]]
    return inner


@compiled
def count_odd_subsets(similar: Floats, gram: Floats, subsets: Ints, tie: Real) -> Ints:
    """In how many pairs (S, w) w is the odd one, for each of some subsets S, shape (subsets, k)."""
    use_wide_vectors()
    k, block = subsets.shape[1], similar.shape[1]
    total = np.empty(block, similar.dtype)
    odd = np.empty(block, np.int32)
    hits = np.empty(subsets.shape[0], np.int64)
    for row in range(subsets.shape[0]):
        for w in range(block):
            total[w] = 0
            odd[w] = 1
        for s in range(k):
            own = subsets[row, s]
            for w in range(block):
                total[w] += similar[own, w]
        for s in range(k):
            own = subsets[row, s]
            inner = _inner_sum(gram, subsets[row], s, tie)
            for w in range(block):
                odd[w] &= np.int32(total[w] - similar[own, w] < inner)
        of_subset = np.int32(0)
        for w in range(block):
            of_subset = np.int32(of_subset + odd[w])
        hits[row] = of_subset
    return hits


@compiled
def _fill_answers(method: int, a: Floats, b: Floats, c: Floats, base: Real, out: Floats) -> None:
    """Values of the words of a block as answers to a question, shape (block,)."""
    use_wide_vectors()
    if method == 0:
        for column in range(len(out)):
            out[column] = b[column] - a[column] + c[column]
    elif method == 1:
        for column in range(len(out)):
            out[column] = b[column] * c[column] * a[column]
    else:
        for column in range(len(out)):
            out[column] = (b[column] - a[column] - base) * c[column]


@compiled
def keep_best_answers(
    method: int,
    similar: Floats,
    of_a: Floats,
    of_c: Floats,
    questions: Ints,
    bases: Floats,
    start: int,
    values: Floats,
    words: Ints,
) -> None:
    """Merge a block of the vocabulary into the best answers so far.

    Args:
        method: 0 for b - a + c, 1 for b·c·a, 2 for (b - a - base)·c.
        similar: What each test word contributes as b to the values of the block's words, shape (q, block).
        of_a: The same of test words as a.
        of_c: The same of test words as c.
        questions: Rows of the test words a, b, c, shape (questions, 3).
        bases: One number for each question, shape (questions,).
        start: The vocabulary row of the block's first word.
        values: Of the best answers so far, best first, shape (questions, kept); changed in place.
        words: The vocabulary rows of the best answers, shape (questions, kept); changed in place.
    """
    use_wide_vectors()
    columns, kept = similar.shape[1], values.shape[1]
    answers = np.empty(columns, similar.dtype)
    for row in range(len(questions)):
        a, b, c = questions[row]
        _fill_answers(method, of_a[a], similar[b], of_c[c], bases[row], answers)
        least = values[row, kept - 1]
        better = np.int32(0)
        for column in range(columns):
            better = np.int32(better + np.int32(answers[column] > least))
        if better == 0:
            continue
        for column in range(columns):
            value = answers[column]
            if value <= least:
                continue
            _insert(values[row], words[row], value, start + column)
            least = values[row, kept - 1]


_Words = npt.NDArray[np.uint32]
_Codes = npt.NDArray[np.uint64]


@compiled
def _trigram(letters: _Words, start: int, end: int, place: int) -> np.uint64:
    """The trigram of `<word>` around a letter: 21 bits for each code point, so that no two are the same."""
    before = letters[place - 1] if place > start else np.uint32(60)
    after = letters[place + 1] if place + 1 < end else np.uint32(62)
    high = (np.uint64(before) << np.uint64(42)) | (np.uint64(letters[place]) << np.uint64(21))
    return high | np.uint64(after)


@compiled
def _place(code: np.uint64, size: int) -> Any:  # noqa: ANN401  # an integer of numba
    return np.int64((code * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(33)) & (size - 1)


@compiled
def fill_table(codes: _Codes, numbers: Ints, keys: _Codes) -> None:
    """Put the numbers of different codes into a hash table, of -1 and with a power of two of places."""
    for number in range(len(codes)):
        place = _place(codes[number], len(numbers))
        while numbers[place] >= 0:
            place = (place + 1) & (len(numbers) - 1)
        numbers[place], keys[place] = number, codes[number]


@compiled
def _number_of(code: np.uint64, numbers: Ints, keys: _Codes) -> Any:  # noqa: ANN401  # likewise
    """The number that a hash table has for a code; -1 if it has none."""
    place = _place(code, len(numbers))
    while numbers[place] >= 0 and keys[place] != code:
        place = (place + 1) & (len(numbers) - 1)
    return numbers[place]


@compiled
def _noise(own: int, other: int) -> np.float32:
    """A number from 0 to 1 of two words, the same in both orders (the last steps of MurmurHash3)."""
    value = np.uint32(own ^ other)
    value = np.uint32((value ^ (value >> np.uint32(16))) * np.uint32(0x85EBCA6B))
    value = np.uint32((value ^ (value >> np.uint32(13))) * np.uint32(0xC2B2AE35))
    return np.float32(value >> np.uint32(8)) * np.float32(2.0**-24)


@compiled
def spelling_block(
    letters: _Words,
    ends: Ints,
    first: int,
    numbers: Ints,
    keys: _Codes,
    starts: Ints,
    rows: Ints,
    counts: Floats,
    roots: Floats,
    hashes: _Words,
    other_roots: Floats,
    other_hashes: _Words,
    noise: float,
    found: Floats,
) -> None:
    """The spelling similarities of test words to a block of the vocabulary.

    Args:
        letters: The code points of the vocabulary.
        ends: Where each of its words ends, shape (v,).
        first: The row of the block's first word.
        numbers: A hash table of the test words' trigrams, as `fill_table` writes it.
        keys: The codes in it.
        starts: Where the words of each trigram start in `rows`, shape (trigrams + 1,).
        rows: The test words that have it, shape (entries,).
        counts: How often they have it.
        roots: 1/√N of the test words, shape (q,).
        hashes: Of the test words, shape (q,).
        other_roots: 1/√N of the vocabulary, shape (v,).
        other_hashes: Of the vocabulary, shape (v,).
        noise: What tells words apart that are equally similar.
        found: Zeros, shape (q, block); written.
    """
    use_wide_vectors()
    for column in range(found.shape[1]):
        word = first + column
        start = ends[word - 1] if word else 0
        for place in range(start, ends[word]):
            number = _number_of(_trigram(letters, start, ends[word], place), numbers, keys)
            for entry in range(starts[number], starts[number + 1]) if number >= 0 else range(0):
                found[rows[entry], column] += counts[entry]
    scale = np.float32(noise)
    for row in range(found.shape[0]):
        own, root = hashes[row], np.float32(roots[row])
        for column in range(found.shape[1]):
            similar = found[row, column] * (root * np.float32(other_roots[first + column]))
            found[row, column] = similar + scale * _noise(own, other_hashes[first + column])


@compiled
def spelling_rows(
    letters: _Words,
    ends: Ints,
    first: int,
    numbers: Ints,
    keys: _Codes,
    starts: Ints,
    rows: Ints,
    counts: Floats,
    roots: Floats,
    hashes: _Words,
    noise: float,
    means: Floats,
    whole: float,
    factors: Floats,
    found: Floats,
) -> None:
    """The same, of some test words to all test words, a row for each; and then centred and scaled.

    A similarity x becomes (x - both means + whole) · both factors.

    Args:
        letters: As in `spelling_block`, like all that follow up to `noise`; but of the test words.
        ends: Where each of them ends.
        first: The first of these words.
        numbers: The hash table of trigrams.
        keys: The codes in it.
        starts: Where the words of each trigram start in `rows`.
        rows: The test words that have it.
        counts: How often they have it.
        roots: 1/√N of the test words.
        hashes: Of the test words.
        noise: What tells words apart that are equally similar.
        means: Of each row of similarities, shape (q,); or zeros.
        whole: The mean of all; or zero.
        factors: Of each word, shape (q,).
        found: Shape (some, q); written.
    """
    use_wide_vectors()
    scale = np.float32(noise)
    for row in range(found.shape[0]):
        word, similar = first + row, found[row]
        similar[:] = 0
        start, end = (ends[word - 1] if word else 0), ends[word]
        for place in range(start, end):
            number = _number_of(_trigram(letters, start, end, place), numbers, keys)
            for entry in range(starts[number], starts[number + 1]):
                similar[rows[entry]] += counts[entry]
        own, root = hashes[word], np.float32(roots[word])
        mean, factor = means[word], factors[word]
        for other in range(found.shape[1]):
            value = np.float32(similar[other]) * (np.float32(roots[other]) * root)
            value += scale * _noise(hashes[other], own)
            similar[other] = (value - mean - means[other] + whole) * factor * factors[other]


@compiled
def spelling_nearest(
    letters: _Words,
    ends: Ints,
    numbers: Ints,
    keys: _Codes,
    starts: Ints,
    rows: Ints,
    counts: Floats,
    roots: Floats,
    hashes: _Words,
    other_roots: Floats,
    other_hashes: _Words,
    noise: float,
    own: Ints,
    first: int,
    last: int,
    values: Floats,
    words: Ints,
) -> None:
    """The words of the vocabulary that share most with each test word; only those that share a trigram.

    Args:
        letters: As in `spelling_block`, like all that follow up to `noise`.
        ends: Where each word ends.
        numbers: The hash table of trigrams.
        keys: The codes in it.
        starts: Where the words of each trigram start in `rows`.
        rows: The test words that have it.
        counts: How often they have it.
        roots: 1/√N of the test words.
        hashes: Of the test words.
        other_roots: 1/√N of the vocabulary.
        other_hashes: Of the vocabulary.
        noise: What tells words apart that are equally similar.
        own: The vocabulary row of each test word, which is not its own neighbour, shape (q,).
        first: The first row of the vocabulary that is looked at.
        last: The row after the last one.
        values: Zeros, shape (q, kept); the greatest similarities, greatest first, are written.
        words: -1, of the same shape; the vocabulary rows they belong to are written.
    """
    sums = np.zeros(len(roots), dtype=np.float32)
    touched = np.empty(len(roots), dtype=np.int64)
    start = ends[first - 1] if first else 0
    for word in range(first, last):
        several = 0
        for place in range(start, ends[word]):
            number = _number_of(_trigram(letters, start, ends[word], place), numbers, keys)
            for entry in range(starts[number], starts[number + 1]) if number >= 0 else range(0):
                row = rows[entry]
                if sums[row] == 0:
                    touched[several] = row
                    several += 1
                sums[row] += counts[entry]
        start = ends[word]
        for each in range(several):
            row = touched[each]
            value = sums[row] * (np.float32(roots[row]) * np.float32(other_roots[word]))
            value += np.float32(noise) * _noise(hashes[row], other_hashes[word])
            sums[row] = 0
            if value > values[row, values.shape[1] - 1] and word != own[row]:
                _insert(values[row], words[row], value, word)
