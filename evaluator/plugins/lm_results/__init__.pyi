from .answers import Accuracy as Accuracy
from .answers import AnswersFile as AnswersFile
from .answers import score_answers as score_answers
from .logs import Answer as Answer
from .logs import read_logs as read_logs
