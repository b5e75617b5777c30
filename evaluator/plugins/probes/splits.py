"""Splits: which items are training data, in which order, and which are test data.

A split depends on the labels and the seed, and never on the vectors: all embeddings are probed with the same
splits.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evaluator.plugins import ScoreError

Rows = npt.NDArray[np.intp]


@dataclass(frozen=True)
class SplitPlan:
    """How the data is divided.

    Of the `shares` of the training data, the paper names 30 % and 100 % and draws points between them. It
    divides the data 6 times, and does not give the share of the test data.
    """

    shares: tuple[float, ...] = (0.3, 0.5, 0.7, 0.85, 1.0)
    splits: int = 6
    test_share: float = 0.2
    folds: int = 3  # of the cross-validation that chooses a model's hyper-parameter
    seed: int = 0

    def __post_init__(self) -> None:
        rising = all(a < b for a, b in zip(self.shares, self.shares[1:], strict=False))
        if not self.shares or not rising or not all(0 < share <= 1 for share in self.shares):
            raise ScoreError(f"shares are {self.shares}; they must ascend from above 0 to at most 1")
        if not 0 < self.test_share <= 0.5:
            raise ScoreError(f"test_share is {self.test_share}; it must be above 0 and at most 0.5")
        for name, least in (("splits", 1), ("folds", 2), ("seed", 0)):
            if getattr(self, name) < least:
                raise ScoreError(f"{name} is {getattr(self, name)}; it must be {least} or more")
        if self.seed >= 2**32:  # scikit-learn takes no others
            raise ScoreError(f"seed is {self.seed}; it must be below 2^32")

    def generator(self, split: int) -> np.random.Generator:
        """The random numbers of one split; they do not depend on how many splits there are."""
        return np.random.default_rng([self.seed, split])

    def tests(self, items: int) -> int:
        """How many of some items are test data, at least one."""
        return max(1, int(self.test_share * items + 1e-9))  # 0.29·100 is a little less than 29

    def size(self, share: float, items: int) -> int:
        """How many of some training items a share is, at least two if there are two."""
        return min(items, max(2, round(share * items)))


@dataclass(frozen=True, eq=False)
class Split:
    """One division of the data: rows of the training data, of which a share is the first, and of the rest."""

    number: int
    train: Rows
    test: Rows


def stratified_splits(codes: Rows, plan: SplitPlan) -> list[Split]:
    """Divide items of numbered classes so that each has its share of test data, to within one item."""
    # Items are ordered class by class, in random order within a class, and test items are taken at equal
    # distances from a random start. The training items are ordered so that the first item of each class comes
    # before all others, so that every class can be learnt, and the other items of a class follow at equal
    # distances.
    splits, n = [], len(codes)
    for number in range(plan.splits):
        generator = plan.generator(number)
        shuffled = generator.permutation(n)
        laid = shuffled[np.argsort(codes[shuffled], kind="stable")]
        steps = (np.arange(n + 1) * plan.tests(n) + generator.integers(n)) // n
        taken = np.diff(steps) > 0
        rest = laid[~taken]
        keys = ranks_in_class(codes[rest]) / np.bincount(codes[rest])[codes[rest]]
        # Shuffled before a stable sort, so that the order of equal keys is random.
        order = generator.permutation(len(rest))
        train = rest[order[np.argsort(keys[order], kind="stable")]]
        splits.append(Split(number, train, np.sort(laid[taken])))
    return splits


def ranks_in_class(codes: Rows) -> Rows:
    """For each item, how many items of its class come before it."""
    order = np.argsort(codes, kind="stable")
    counts = np.bincount(codes)
    firsts = np.cumsum(counts) - counts
    ranks = np.empty(len(codes), np.intp)
    ranks[order] = np.arange(len(codes)) - firsts[codes[order]]
    return ranks


def random_splits(items: int, plan: SplitPlan) -> list[Split]:
    """Divide items without classes at random."""
    splits = []
    for number in range(plan.splits):
        order = plan.generator(number).permutation(items).astype(np.intp)
        splits.append(Split(number, order[plan.tests(items) :], np.sort(order[: plan.tests(items)])))
    return splits


def grouped_splits(groups: Rows, plan: SplitPlan) -> list[Split]:
    """Divide items so that no group is in both training and test data; training items are in random order."""
    splits = []
    for number in range(plan.splits):
        generator = plan.generator(number)
        tested = take_groups(groups, plan.tests(len(groups)), generator)
        splits.append(Split(number, generator.permutation(np.flatnonzero(~tested)), np.flatnonzero(tested)))
    return splits


def take_groups(groups: Rows, wanted: int, generator: np.random.Generator) -> npt.NDArray[np.bool_]:
    """Take about as many items as wanted, in whole groups; more only if every group is larger."""
    # Groups are taken in random order, if they fit; if none fits, one of the smallest is taken.
    names, sizes = np.unique(groups, return_counts=True)
    order, taken = generator.permutation(len(names)), []
    for group in order:
        if sizes[group] <= wanted:
            taken.append(group)
            wanted -= sizes[group]
    if not taken:
        taken = [order[sizes[order].argmin()]]
    return np.isin(groups, names[taken])


def folds(codes: Rows, count: int) -> Rows:
    """The fold of each item: the members of each class in turn; all classes are 0 if there are none."""
    return (ranks_in_class(codes) + codes) % count
