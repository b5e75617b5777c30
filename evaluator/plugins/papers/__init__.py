"""What the papers do beside scoring: mentions of topics, and a task that needs nothing but a text.

`mentions` counts the words of categories in corpora, the simpler method that the language comparison of
Stringham and Izbicki (2020) asks to be measured against. `boundaries` finds where sentences end, the
downstream task of Che et al. (2017). `papers` lists what the five papers do, and the command for it.
"""

from __future__ import annotations
