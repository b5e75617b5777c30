"""The gap between linear and non-linear models: whether what is sought lies straight in the space."""

from __future__ import annotations

from dataclasses import dataclass

from evaluator.errors import ScoreError
from evaluator.probes.results import Curve, Point, Probe


@dataclass(frozen=True)
class Gap:
    """The best non-linear model beside the best linear one.

    Attributes:
        point: Where the curves were read.
        linear: The best linear model; where none learns, the best constant one.
        nonlinear: The best non-linear model.
        linear_score: Its mean score over the splits.
        nonlinear_score: Likewise.
        value: The normalised difference, above 0 where the non-linear model is better.
    """

    point: Point
    linear: str
    nonlinear: str
    linear_score: float
    nonlinear_score: float
    value: float


def gap(probe: Probe, point: Point = "end") -> Gap:
    """Compare the best non-linear with the best linear model of a probe.

    The "normalized difference between score of the best performing non-linear model and the best performing
    linear model" (Figure 1 of the paper):
    `(s_nonlinear − s_linear) / max(|s_nonlinear|, |s_linear|)`; 0 where both are 0. The paper does not say by
    what it normalises: by the larger one, accuracies give −1 to 1, and correlations −2 to 2. Similarity has
    no linear model that learns, and the cosine, which is linear in each of two words, stands for it.

    Raises:
        ScoreError: The probe has no model of one of the two sorts.
    """
    curved = [curve for curve in probe.curves if curve.kind == "nonlinear"]
    straight = [curve for curve in probe.curves if curve.kind == "linear"]
    straight = straight or [curve for curve in probe.curves if curve.kind == "constant"]
    if not curved or not straight:
        raise ScoreError(
            f"{probe.task} has no {'linear' if curved else 'non-linear'} model, and so no gap between them"
        )

    def height(curve: Curve) -> float:
        return curve.mean(point)

    linear, nonlinear = max(straight, key=height), max(curved, key=height)
    a, b = height(nonlinear), height(linear)
    scale = max(abs(a), abs(b))
    return Gap(point, linear.model, nonlinear.model, b, a, (a - b) / scale if scale else 0.0)
