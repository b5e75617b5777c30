from .measure import MRR as MRR
from .measure import Translation as Translation
from .measure import TranslationMeasure as TranslationMeasure
from .ranks import mean_of_nearest as mean_of_nearest
from .ranks import procrustes as procrustes
from .result import TranslationFile as TranslationFile
from .study import TRANSLATION_MEASURES as TRANSLATION_MEASURES
from .study import translate as translate
