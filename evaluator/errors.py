"""All errors that evaluator raises for its users.

EvaluatorError
├── TestSetError   a test set file cannot be read
├── VectorsError   a vectors file cannot be read, or holds vectors that cannot be scored
├── MeasureError   a measure's text or parameters are wrong
├── ScoreError     there is nothing left to score
├── ResultsError   a result file cannot be read, or results cannot be compared
├── CorpusError    a text corpus cannot be read, or contains no words
├── TrainingError  a model cannot be trained
├── StudyError     a study cannot be started or resumed
├── ClusterError   a cluster cannot be used, or the connection to it was lost
├── PluginError    a measure or format of another package cannot be used
├── ExtraError     a library is missing that an extra installs
├── GensimError    gensim is missing, which does not exist for every Python
└── OutputError    a file cannot be written

Each message says what is wrong, where, and what to do; the command line prints it and exits with 2.
"""

from __future__ import annotations


class EvaluatorError(Exception):
    """The base class of all errors that a user can do something about."""


class TestSetError(EvaluatorError):
    """A test set file cannot be read; the message names file and JSON path."""

    __test__ = False  # pytest would otherwise collect a class named Test…


class VectorsError(EvaluatorError):
    """A vectors file cannot be read, or holds vectors that cannot be scored."""


class MeasureError(EvaluatorError):
    """A measure's text or its parameters are wrong."""


class ScoreError(EvaluatorError):
    """There is nothing left to score."""


class ResultsError(EvaluatorError):
    """A result file cannot be read, or results cannot be compared; messages name file and JSON path."""


class CorpusError(EvaluatorError):
    """A text corpus cannot be read, or contains no words."""


class TrainingError(EvaluatorError):
    """A model cannot be trained: a hyper-parameter does not exist, or no word is frequent enough."""


class StudyError(EvaluatorError):
    """A study (a search for hyper-parameters, a learning curve, a batch) cannot be started or resumed."""


class ClusterError(EvaluatorError):
    """A cluster cannot be used, or the connection to it was lost."""


class PluginError(EvaluatorError):
    """What another package registers cannot be used; the message names the package."""


class ExtraError(EvaluatorError):
    """A library is missing that is not in the base install; the message names the extra."""

    def __init__(self, what: str, library: str, extra: str) -> None:
        """Say what needs which library and how to install it."""
        super().__init__(f"{what} needs {library}: pip install 'testgen-evaluator[{extra}]'")

    def __reduce__(self) -> tuple[object, ...]:
        """For pickling, which has only the message and not the arguments."""
        return type(self).__new__, (type(self), *self.args)


class GensimError(EvaluatorError):
    """gensim is missing, which trains and reads its own files, and does not exist for every Python."""


class OutputError(EvaluatorError):
    """A file or directory cannot be written."""
