"""One pass over the vocabulary, by as many threads as there are cores, for all measures together."""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from evaluator.measures.base import Evaluation
from evaluator.similarities import Similarities

COMPARISONS_PER_SECOND = 1e10
"""What one core can be expected to do, for estimates."""


def cores() -> int:
    """How many threads may run at a time."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def scan(
    similarities: Similarities,
    evaluations: Sequence[Evaluation],
    progress: Callable[[float], None],
    threads: int | None = None,
) -> list[list[Any]]:
    """Show every block of the vocabulary to every evaluation.

    Args:
        similarities: Where the blocks come from.
        evaluations: What looks at them; the result does not depend on which thread shows them which block.
        progress: Called now and then with the share that is done, from 0 to 1.
        threads: How many; as many as there are cores if None.

    Returns:
        For each evaluation its states, one from each thread.
    """
    for evaluation in evaluations:
        evaluation.prepare(similarities)
    threads = max(1, min(threads or cores(), similarities.blocks))
    numbers = itertools.count()
    done = itertools.count(1)
    stop = threading.Event()

    def work() -> list[Any]:
        states = [evaluation.begin() for evaluation in evaluations]
        while not stop.is_set() and (number := next(numbers)) < similarities.blocks:
            start, block = similarities.block(number)
            for evaluation, state in zip(evaluations, states, strict=True):
                evaluation.add(state, start, block)
            progress(next(done) / similarities.blocks)
        return states

    with ThreadPoolExecutor(threads) as pool:
        try:
            futures = [pool.submit(work) for _ in range(threads)]
            by_thread = [future.result() for future in futures]
        finally:
            stop.set()
    return [list(states) for states in zip(*by_thread, strict=True)]
