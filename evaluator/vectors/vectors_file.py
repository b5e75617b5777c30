"""Vectors that are loaded where they are needed: in this process, in another one, on another machine."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from evaluator.execution.remote_files import absolute, file_name, local_copy
from evaluator.vectors import Vectors, load_vectors


@dataclass(frozen=True)
class Loading:
    """How vectors are loaded; see `load_vectors`.

    Attributes:
        format: Of the file.
        bad_rows: What to do with rows that are damaged.
        encoding: That of the words.
        unsafe_pickle: Whether pickles are loaded, which can run any code.
        cache: Whether copies are kept for the next time.
    """

    format: str = "auto"
    bad_rows: str = "refuse"
    encoding: str = "utf-8"
    unsafe_pickle: bool = False
    cache: bool = True


@dataclass(frozen=True)
class VectorsFile:
    """Where vectors are, and how they are loaded.

    Attributes:
        place: A path, or a URL.
        loading: How they are loaded.
        given: What they are called; the name of the file if None.
    """

    place: str
    loading: Loading = field(default_factory=Loading)
    given: str | None = None

    @property
    def name(self) -> str:
        """What messages call the vectors."""
        return self.given or file_name(self.place)

    def for_others(self) -> VectorsFile:
        """The same for other processes, whatever their working directory."""
        return replace(self, place=absolute(self.place))

    def load(self) -> Vectors:
        """Load them, from a copy of what is at a URL.

        Raises:
            VectorsError: They cannot be loaded.
            ExtraError: They are at a URL, and a library for that is not installed.
        """
        how = self.loading
        loaded = load_vectors(
            local_copy(self.place),
            format=how.format,
            bad_rows=how.bad_rows,  # type: ignore[arg-type]  # load_vectors checks
            unsafe_pickle=how.unsafe_pickle,
            encoding=how.encoding,
            cache=how.cache,
        )
        return loaded if self.given is None else replace(loaded, name=self.given)
