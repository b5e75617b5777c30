"""A vectors file that is loaded where it is needed: in this process, in another one, on another machine."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace

from evaluator.execution.remote_files import absolute, file_name, local_copy
from evaluator.vectors import LoadOptions, Vectors, load_vectors


@dataclass(frozen=True)
class VectorsFile:
    """The path of a vectors file, and how to load it.

    Attributes:
        path: A path, or a URL.
        options: How it is read.
        given_name: What to call the vectors; the file's name if None.
    """

    path: str
    options: LoadOptions = field(default_factory=LoadOptions)
    given_name: str | None = None

    @property
    def name(self) -> str:
        """What messages call the vectors."""
        return self.given_name or file_name(self.path)

    def for_others(self) -> VectorsFile:
        """The same for other processes, whatever their working directory."""
        return replace(self, path=absolute(self.path))

    def load(self) -> Vectors:
        """Load the vectors; of a file at a URL, a copy on this machine.

        Raises:
            VectorsError: They cannot be loaded.
            ExtraError: They are at a URL, and a library for that is not installed.
        """
        loaded = load_vectors(local_copy(self.path), **asdict(self.options))
        return loaded if self.given_name is None else replace(loaded, name=self.given_name)
