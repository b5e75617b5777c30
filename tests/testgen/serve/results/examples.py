"""Small result files, as docs/results.md describes them."""

import json

DIGEST = "0123456789abcdef" * 4
USUAL = "norm:unit|oov:wrong"


def score(measure="Topk@3", value=0.4, settings=USUAL, digest=DIGEST, **more):
    signature = f"{measure}|{settings}|test:la.json#{digest[:12]}|version:0.1.0"
    return {"measure": measure, "value": value, "signature": signature, **more}


def record(model="a.vec", language="la", scores=None, digest=DIGEST, combined=None, **more):
    scored = [score(digest=digest)] if scores is None else scores
    both = [score("Combined", digest=digest) | combined] if combined else []
    return {
        "model": model,
        "test_set": f"{language}.json",
        "language": language,
        "test_sha256": digest,
        "scores": [*scored, *both],
        **more,
    }


def scores(*records, **more):
    return json.dumps({"format": "scores", "version": 4, "results": records, **more}).encode()


def lines(*models, version=4):
    head = {"format": "score lines", "version": version, "measures": None, "settings": {}, "reading": {}}
    return "".join(json.dumps(each) + "\n" for each in (head, *models)).encode()


def line(vectors, value=0.4, combined=None):
    parts = [{"name": "month", "value": value}, {"name": "country"}]
    found = record(
        vectors.rpartition("/")[2],
        scores=[score(value=value, chance=0.01, known=8, n=10, subscores=parts)],
        combined=combined and {"value": combined},
    )
    return {"vectors": vectors, "test": "/tests/la.json", "scores": found}


def comparison():
    languages = [
        {
            "code": code,
            "vectors": f"{code}.vec",
            "test_set": f"{code}.json",
            "sha256": DIGEST,
            "signature": USUAL,
        }
        for code in ("la", "el")
    ]
    row = {"category": "month", "kind": "category", "measure": "Topk@3", "n": 12, "oov": 2, "vocabulary": 99}
    rows = [{**row, "language": code, "value": value} for code, value in (("la", 0.3), ("el", None))]
    content = {
        "languages": languages,
        "groups": [{"name": "month", "kind": "category", "title": "Months"}],
        "rows": rows,
        "aligned": rows[:1],
        "concepts": [{"category": "month", "items": [{"id": "Q108"}]}],
    }
    return json.dumps({"format": "comparison", "version": 2, **content}).encode()
