"""Labels and words: how a label becomes words, and the words of all items in all languages."""

from testgen.labels.policy import LabelPolicy as LabelPolicy
from testgen.labels.policy import words_of as words_of
