"""Importers: snapshots from files of other sources, which `categories.tsv` joins to shipped categories."""

from testgen.snapshots.importers.cldf import read_cldf as read_cldf
from testgen.snapshots.importers.content import Imported as Imported
from testgen.snapshots.importers.content import write_import as write_import
from testgen.snapshots.importers.openfoodfacts import read_openfoodfacts as read_openfoodfacts
from testgen.snapshots.importers.wiktextract import read_wiktextract as read_wiktextract
from testgen.snapshots.importers.wordnet import read_wordnet as read_wordnet
