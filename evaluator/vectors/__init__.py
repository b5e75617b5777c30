"""Word vectors: what they are, and how they come out of files and out of gensim models.

In the order in which the modules build on each other:

    words      words that stay in a file, and the row of each
    table      Vectors: words and matrix, as everything after this package sees them
    stores     where rows go while a file is read: into memory, or into a file that is mapped
    source     a file opened for reading, unpacked if it is gzip
    registry   what a format is, and which one a file is in
    header     the line "rows dimension" of the word2vec formats, and whether it can be true
    rows       which rows can be scored; refusing or dropping those that cannot
    compiled   the loops over the bytes of large files, compiled
    lines      the lines of a stream, in blocks
    fields     the text of one row
    textrows   rows of text, shared by the text formats
    models     vectors out of a gensim model in memory
    formats/   one reader each; a new format is one function there
    cached/    copies in the user's cache, opened in milliseconds
    load       load_vectors, which ties them together
"""

from __future__ import annotations

from evaluator.vectors.cached import cache_info, clear_cache
from evaluator.vectors.load import load_vectors
from evaluator.vectors.models import from_gensim
from evaluator.vectors.table import Vectors

__all__ = ["Vectors", "cache_info", "clear_cache", "from_gensim", "load_vectors"]
