"""Language codes: which exist, how each is spelled, and in which scripts each language is written."""

from testgen.languages.codes import canonical as canonical
from testgen.languages.codes import fallbacks_of as fallbacks_of
from testgen.languages.codes import from_code as from_code
from testgen.languages.codes import from_tag as from_tag
from testgen.languages.codes import spellings_of as spellings_of
from testgen.languages.codes import stand_in_map as stand_in_map
from testgen.languages.codes import tags_of as tags_of
from testgen.languages.codes import variants_of as variants_of
from testgen.languages.codes import whole_languages as whole_languages
from testgen.languages.codes import without_labels as without_labels
from testgen.languages.table import NEUTRAL as NEUTRAL
from testgen.languages.table import Language as Language
from testgen.languages.table import in_other_script as in_other_script
from testgen.languages.table import languages as languages
from testgen.languages.table import script_names as script_names
from testgen.languages.table import without_spaces as without_spaces
from testgen.languages.table import written_in_script_of as written_in_script_of
