"""`evaluator lm-results`: what language models answered, as scores."""

from __future__ import annotations

from evaluator.plugins import options, show


def lm_results(
    logs: options.ResultFiles,
    *,
    results: options.ResultOptions,
) -> None:
    """Score what language models answered to the questions that `testgen export` writes.

    Files are samples_*.jsonl of `lm_eval --log_samples` and JSON logs of Inspect, or folders of them.

    For example: evaluator lm-results out/
    """
    from evaluator.plugins.lm_results import read_logs, score_answers

    show(results, score_answers(read_logs(logs)).record())
