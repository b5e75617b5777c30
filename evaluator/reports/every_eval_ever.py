"""Records of Every Eval Ever: a model's scores in the JSON schema of a common database of evaluations.

Batzner et al. (2026), arXiv:2606.14516; the schema is that of the package every-eval-ever. A record is of one
model; its path, `data/COLLECTION/DEVELOPER/MODEL/UUID.json`, is the one that the database and its validator
ask for. Scores of categories are not in it: the database compares whole test sets.
"""

from __future__ import annotations

import dataclasses
import hashlib
import inspect
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any, NamedTuple
from uuid import UUID

from evaluator.engine.vocabulary_lookup import BASELINE_OF
from evaluator.errors import OutputError, ResultsError
from evaluator.execution.remote_files import is_url
from evaluator.reports.build import InputFile, commands
from evaluator.results.score import COMPUTED, Score, bounds, measure_named
from evaluator.results.scores import Scores

SCHEMA_VERSION = "0.3.0"
COLLECTION = "testgen-evaluator"
"""The name of the folder of all records, and of the program that scored."""

_LEVEL = 0.95
_NOT_PORTABLE = re.compile(r'[<>:"/\\|?*\x00-\x1f]')
_DEVICE = re.compile(r"(con|prn|aux|nul|com[1-9]|lpt[1-9])(\.|$)", re.IGNORECASE)

Json = dict[str, Any]


class Source(NamedTuple):
    """Who made the models, and who scored them.

    Attributes:
        developer: Who made the vectors; it is the first part of the id of each model.
        evaluated_by: Who scored them.
    """

    developer: str
    evaluated_by: str

    @property
    def relationship(self) -> str:
        """`first_party` if who made the vectors has scored them."""
        return "first_party" if self.developer == self.evaluated_by else "third_party"


def records(files: Sequence[InputFile], source: Source, moment: int) -> dict[PurePosixPath, str]:
    """The records of all models in result files, by the paths that they have in the database.

    A record's UUID is made of its content without the time: the same scores have the same path.

    Args:
        files: Result files of any kind.
        source: Who made the models, and who scored them.
        moment: When the records are made, in seconds since 1970.

    Raises:
        OutputError: The developer's name cannot be that of a folder.
        ResultsError: There are no scores in the files, or two of them differ that should be the same.
    """
    if _portable(source.developer) != source.developer or source.developer in ("data", "unknown", ""):
        raise OutputError(
            f"{source.developer!r}: cannot be the name of a folder, which the developer's is; write it as on "
            "the Hugging Face hub: letters, digits, hyphens"
        )
    found = dict(_record(of_model, source, moment) for of_model in _models(files))
    if not found:
        raise ResultsError(f"{files[0].name}: holds no scores of models, which records are made of")
    return found


def _models(files: Sequence[InputFile]) -> Iterator[list[tuple[Scores, InputFile]]]:
    """The scores of each model, as one version of evaluator gave them."""
    models: dict[tuple[str, str, str], list[tuple[Scores, InputFile]]] = {}
    for each, file in _scores(files):
        if not each.model.startswith(BASELINE_OF):
            key = each.model, each.model_sha256, _version(each)
            models.setdefault(key, []).append((each, file))
    yield from models.values()


def _scores(files: Sequence[InputFile]) -> Iterator[tuple[Scores, InputFile]]:
    found = ((each, file) for file in files for each in getattr(file.result, "results", ()))
    yield from ((each, file) for each, file in found if isinstance(each, Scores))


def baselines(files: Sequence[InputFile]) -> list[str]:
    """The baselines in result files, each once: nobody made them, so there are no records of them."""
    return list(dict.fromkeys(each.model for each, _ in _scores(files) if each.model.startswith(BASELINE_OF)))


def _record(
    scored: Sequence[tuple[Scores, InputFile]], source: Source, moment: int
) -> tuple[PurePosixPath, str]:
    first, _ = scored[0]
    model = _portable(first.model)
    results: dict[str, Json] = {}
    for scores, file in scored:
        for score in scores:
            found = _result(scores, score, file)
            known = results.setdefault(found["evaluation_result_id"], found)
            if known["score_details"] != found["score_details"]:
                raise ResultsError(
                    f"{file.name}: {scores.model} has another {score.measure} on {scores.test_set}, with the "
                    "same settings, in another file; make records of one of them"
                )
    files = {file.name: file.sha256 for _, file in scored}
    record = {
        "schema_version": SCHEMA_VERSION,
        "source_metadata": {
            "source_name": COLLECTION,
            "source_type": "evaluation_run",
            "source_organization_name": source.evaluated_by,
            "evaluator_relationship": source.relationship,
            "additional_details": {f"sha256 of {name}": digest for name, digest in files.items()},
        },
        "eval_library": {"name": COLLECTION, "version": _version(first)},
        "model_info": {
            "name": first.model,
            "id": f"{source.developer}/{model}",
            "developer": source.developer,
            "additional_details": {
                # Vectors are read from files here; answers of language models may be from anywhere.
                "deployment_type": "unknown" if first.dimension is None else "self_deployed",
                "model_availability": "unknown",
                **_texts(sha256=first.model_sha256, dimension=first.dimension, words=first.vocabulary),
            },
        },
        "evaluation_results": list(results.values()),
    }
    digest = hashlib.sha256(_text(record).encode()).digest()
    id_ = f"{COLLECTION}/{source.developer}/{model}"
    path = PurePosixPath("data", id_, f"{UUID(bytes=digest[:16], version=4)}.json")
    times = {"evaluation_id": f"{id_}/{moment}", "retrieved_timestamp": str(moment)}
    return path, _text({**record, **times})


def _result(scores: Scores, score: Score, file: InputFile) -> Json:
    keys = ", ".join(f"{key} {value}" for key, value in scores.keys.items())
    named = f"{scores.test_set} ({keys})" if keys else scores.test_set
    of = f"{scores.test_sha256} {score.signature} {score.words} {keys}"
    command = next(iter(commands(file)), None)
    return {
        "evaluation_result_id": f"{score.measure}/{named}/{hashlib.sha256(of.encode()).hexdigest()[:12]}",
        "evaluation_name": named,
        "source_data": _test_set(scores),
        "metric_config": _metric(score.measure),
        "score_details": {"score": score.value, "details": _details(score), **_uncertainty(score)},
        "generation_config": {
            **({"generation_args": {"execution_command": command}} if command else {}),
            "additional_details": {
                **_settings(score.signature),
                **_texts(signature=score.signature, words=score.words, **scores.keys),
            },
        },
    }


def _test_set(scores: Scores) -> Json:
    file = next((each.path for each in scores.inputs if each.role == "test set"), "")
    details = _texts(
        sha256=scores.test_sha256,
        language=scores.language,
        named_in=scores.named_in,
        words=scores.words,
        known_words=scores.known_words,
    )
    origin: Json = {"source_type": "url", "url": [file]} if is_url(file) else {"source_type": "other"}
    return {"dataset_name": scores.test_set, **origin, "additional_details": details}


def _metric(text: str) -> Json:
    """What a score is: the measure, its parameters and its range."""
    measure = measure_named(text)
    about = COMPUTED.get(text) if measure is None else (inspect.getdoc(measure) or "").partition("\n")[0]
    parameters = () if measure is None else dataclasses.fields(measure)
    low, high = bounds(text)
    kind = re.split(r"[@(]", text)[0].replace(" ", "_").lower()
    return {
        **({"evaluation_description": about} if about else {}),
        "metric_id": f"{COLLECTION}.{kind}",
        "metric_name": text,
        "metric_kind": kind,
        **({"metric_unit": "proportion"} if (low, high) == (0, 1) else {}),
        "metric_parameters": {each.name: getattr(measure, each.name) for each in parameters},
        "lower_is_better": False,
        "score_type": "continuous",
        "min_score": low if math.isfinite(low) else "-Infinity",
        "max_score": high if math.isfinite(high) else "Infinity",
    }


def _details(score: Score) -> dict[str, str]:
    known = score.of_known
    return _texts(
        chance=score.chance,
        frequency_baseline=score.baseline,
        spelling_baseline=score.spelling,
        verdict=score.verdict,
        items=score.n,
        known_items=score.known,
        hits=score.hits,
        trials=score.trials,
        lower_for_other_categories=score.categories_low,
        upper_for_other_categories=score.categories_high,
        score_on_known_words=known and known.value,
        training_runs=json.dumps(score.seeds) if score.seeds else None,
        reason=score.reason,
    )


def _uncertainty(score: Score) -> Json:
    if score.interval is None:
        return {}
    seeds = " and other seeds of training" if score.seeds else ""
    interval = {
        "lower": score.low,
        "upper": score.high,
        "confidence_level": _LEVEL,
        "method": f"delete-one resampling of items: for other words of these categories{seeds}",
    }
    items = {} if score.n is None else {"num_samples": score.n}
    return {"uncertainty": {"confidence_interval": interval, **items}}


def _settings(signature: str) -> dict[str, str]:
    """The settings in a signature; none of one of two measures, which has the settings of each."""
    pairs = (each.partition(":") for each in signature.split("|")[1:])
    return {} if " " in signature else {key: value for key, colon, value in pairs if colon}


def _version(scores: Scores) -> str:
    """Which version of evaluator scored; `unknown` if the file is from another program."""
    found = (_settings(each.signature).get("version") for each in scores)
    return next((each for each in found if each), "unknown")


def _texts(**values: object) -> dict[str, str]:
    """Values as the schema wants further details: texts; what is not known is left out."""
    return {key: str(value) for key, value in values.items() if value not in (None, "")}


def _portable(name: str) -> str:
    """A name as that of a folder on all systems."""
    plain = _NOT_PORTABLE.sub("_", name).rstrip(". ")
    return f"_{plain}" if _DEVICE.match(plain) or plain in ("data", "") else plain


def _text(record: Mapping[str, Any]) -> str:
    text = json.dumps(record, ensure_ascii=False, indent=1, allow_nan=False)
    return f"{text}\n".encode(errors="replace").decode()  # names of files that are not UTF-8
