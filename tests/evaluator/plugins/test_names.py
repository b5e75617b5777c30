"""What plug-ins import: the names of `evaluator.plugins`, which exist, and nothing else of evaluator."""

from __future__ import annotations

import re

import evaluator.plugins
from tests.conftest import REPOSITORY

PLUGINS = REPOSITORY / "evaluator" / "plugins"


def test_every_name_exists():
    for name in evaluator.plugins.__all__:
        assert getattr(evaluator.plugins, name) is not None, name


def test_plugins_import_nothing_else_of_evaluator():
    """That they import no other module is checked with the layers; the package itself is no layer."""
    for path in PLUGINS.glob("*/*.py"):
        found = re.findall(
            r"^ *(?:from|import) (evaluator\S*)", path.read_text(encoding="utf-8"), re.MULTILINE
        )
        own = f"evaluator.plugins.{path.parent.name}"
        assert [each for each in found if each != "evaluator.plugins" and not each.startswith(own)] == [], (
            path
        )
