from .emoji import EmojiPolicy as EmojiPolicy
from .emoji import emoji_test_set as emoji_test_set
from .errors import LanguageError as LanguageError
from .errors import OutputError as OutputError
from .errors import PolicyError as PolicyError
from .errors import QueryError as QueryError
from .errors import SourceError as SourceError
from .errors import TestgenError as TestgenError
from .errors import TestSetError as TestSetError
from .exports.huggingface import export_huggingface as export_huggingface
from .exports.lm_eval import export_lm_eval as export_lm_eval
from .generation import build_test_sets as build_test_sets
from .generation import coverage as coverage
from .generation import generate as generate
from .labels.policy import LabelPolicy as LabelPolicy
from .labels.policy import words_of as words_of
from .queries import Query as Query
from .queries import choose as choose
from .queries import class_query as class_query
from .queries import read_query as read_query
from .queries import shipped_queries as shipped_queries
from .sources.base import Source as Source
from .sources.opening import open_source as open_source
from .testset import TestSet as TestSet
from .testset import serialize as serialize

__version__: str
