"""Word vectors: what they are, and how they come out of files and out of gensim models.

In the order in which the modules build on each other:

    table      Vectors: words and matrix, as everything after this package sees them
    source     a file opened for reading, unpacked if it is gzip
    registry   what a format is, and which one a file is in
    header     the line "rows dimension" of the word2vec formats, and whether it can be true
    rows       which rows can be scored; refusing or dropping those that cannot
    textrows   rows of text, shared by the text formats
    models     vectors out of a gensim model in memory
    formats/   one reader each; a new format is one function there
    load       load_vectors, which ties them together
"""

from __future__ import annotations

from evaluator.vectors.load import load_vectors
from evaluator.vectors.models import from_gensim
from evaluator.vectors.table import Vectors

__all__ = ["Vectors", "from_gensim", "load_vectors"]
