from .item_analysis import items as items
from .power import plan as plan
from .power import scores_of as scores_of
from .result import ItemFigures as ItemFigures
from .result import ItemsFile as ItemsFile
from .result import Plan as Plan
from .result import PlanFile as PlanFile
from .result import PlannedSize as PlannedSize
