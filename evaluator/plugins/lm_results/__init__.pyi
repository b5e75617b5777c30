from .answers import Accuracy as Accuracy
from .answers import Answer as Answer
from .answers import AnswersFile as AnswersFile
from .answers import read_logs as read_logs
from .answers import score_answers as score_answers
