"""read_testset: from a path to a TestSet."""

from __future__ import annotations

import os
from pathlib import Path

from evaluator.datasets import formats  # noqa: F401 (importing it registers the formats)
from evaluator.datasets.registry import find_format
from evaluator.datasets.source import open_source
from evaluator.datasets.testset import TestSet


def read_testset(
    path: str | os.PathLike[str],
    format: str = "auto",  # noqa: A002 (the word load_vectors and the command line use too)
    language: str = "und",
) -> TestSet:
    """Read a test set or another data set of the field.

    Args:
        path: A file, plain or gzip, in UTF-8; for formats of several files a folder or an archive (.tar,
            .tar.gz), of which the .txt, .csv and .tsv files are read.
        format: The name of the format, as in docs/datasets.md; "auto" finds out from the content.
        language: The language code to give the test set, if the file does not state its own; for sets of
            several languages, which of them to read.

    Returns:
        What the file holds; what a format has no place for is empty.

    Raises:
        TestSetError: The path cannot be read, its format is not clear, or something in it is wrong; the
            message names the file with the line or JSON path, and what to do.
    """
    source, sha256 = open_source(Path(path), language)
    parts = find_format(format, source).read(source)
    return TestSet(
        parts.language or language,
        source.name,
        sha256,
        parts.categories,
        parts.relations,
        parts.named_in,
        parts.analogies,
        parts.rated_pairs,
        parts.outlier_groups,
        parts.labelled_texts,
    )
