"""Vectors as JSON lines: `{"word": "rex", "vector": [0.9, 0.1]}`."""

import json

import numpy as np

from evaluator.plugins import Vectors, vector_format


@vector_format("json-lines", rank=1, looks_like=lambda head: head.startswith(b'{"word"'))
def read_json_lines(file, options):
    rows = [json.loads(line) for line in file.stream]
    matrix = np.array([row["vector"] for row in rows], dtype=np.float32)
    return Vectors([row["word"] for row in rows], matrix, file.path.name)
