"""Word vectors: what they are, and how they are read from files of any format and from gensim models.

What a score does with vectors is not here, and neither is how a model is trained.
"""

from __future__ import annotations

from evaluator.vectors.files import LoadOptions, VectorFormat, vector_format
from evaluator.vectors.reading import load_vectors
from evaluator.vectors.sources import VectorsLike, as_vectors
from evaluator.vectors.table import Vectors

__all__ = [
    "LoadOptions",
    "VectorFormat",
    "Vectors",
    "VectorsLike",
    "as_vectors",
    "load_vectors",
    "vector_format",
]
