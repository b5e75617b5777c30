"""Plugins: what other packages register, and what is wrong with it."""

from __future__ import annotations

import sys

import pytest

from evaluator import PluginError
from evaluator.execution.plugins import load_plugin, load_plugins, plugin_names

GROUP = "evaluator.tests"


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Packages whose only content is their entry points."""
    monkeypatch.syspath_prepend(tmp_path)

    def package(name, **entry_points):
        info = tmp_path / f"{name}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        lines = [f"{key} = {value}" for key, value in entry_points.items()]
        (info / "entry_points.txt").write_text("\n".join([f"[{GROUP}]", *lines, ""]))

    return package


def test_nothing_is_installed():
    assert load_plugins(GROUP) == {}


def test_plugins_are_found_by_name(install):
    install("one", b="math:sqrt", a="math:pi")
    install("two", c="sys")
    assert list(load_plugins(GROUP).items()) == [
        ("a", 3.141592653589793),
        ("b", __import__("math").sqrt),
        ("c", sys),
    ]


@pytest.mark.parametrize(
    ("packages", "message"),
    [
        (
            {"one": {"Topk": "math:pi"}},
            "package 'one' registers 'Topk' in evaluator.tests, .* evaluator's own",
        ),
        ({"one": {"Mine": "math:pi"}, "two": {"Mine": "math:e"}}, "'one' and .*'two'|'two' and .*'one'"),
        (
            {"one": {"Mine": "nothing:Mine"}},
            "'one': 'Mine' of evaluator.tests cannot be loaded from nothing:Mine",
        ),
        ({"one": {"Mine": "math:mine"}}, "AttributeError.*mine.*; update or uninstall the package"),
    ],
    ids=["reserved name", "two packages", "missing module", "missing name"],
)
def test_what_cannot_be_used_is_named_with_its_package(install, packages, message):
    for name, entry_points in packages.items():
        install(name, **entry_points)
    with pytest.raises(PluginError, match=message):
        load_plugins(GROUP, reserved=["Topk"])


def test_one_is_loaded_by_its_name_and_the_others_are_not(install):
    install("one", mine="math:sqrt", broken="nothing:mine", number="math:pi")
    own = {"floor": "math:floor", "gone": "nothing:gone"}
    assert plugin_names(GROUP, own) == ["floor", "gone", "broken", "mine", "number"]
    assert load_plugin(GROUP, "floor", own)(1.5) == 1
    assert load_plugin(GROUP, "mine", own)(4) == 2
    assert load_plugin(GROUP, "other", own) is None
    with pytest.raises(PluginError, match=r"'one': 'number'.*evaluator\.tests.*function"):
        load_plugin(GROUP, "number", own)
    with pytest.raises(PluginError, match=r"'one'.*'mine'.*own"):
        load_plugin(GROUP, "other", {"mine": "math:floor"})
