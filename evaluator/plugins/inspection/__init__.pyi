from .maps import MapFile as MapFile
from .maps import map_of as map_of
from .neighbours import NeighboursFile as NeighboursFile
from .neighbours import neighbours as neighbours
