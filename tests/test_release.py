"""What a release needs: versions that agree, and metadata that a package index can show."""

from __future__ import annotations

import pytest

from tests.conftest import REPOSITORY
from tools.release import problems

RIGHT = {
    "pyproject.toml": '[project]\nversion = "1.2.0"\n',
    "CHANGELOG.md": "# Changelog\n\n## 1.2.0 - 2026-02-03\n\n## 1.1.0 - 2026-01-02\n",
    "CITATION.cff": "cff-version: 1.2.0\nversion: 1.2.0\ndate-released: 2026-02-03\n",
}


def found(folder, files, tags=("v1.2.0",), changed=()):
    for name, text in (RIGHT | files).items():
        (folder / name).write_text(text, encoding="utf-8")
    return list(problems(folder, [*tags], [*changed]))


def test_versions_that_agree_can_be_released(tmp_path):
    assert found(tmp_path, {}) == []


@pytest.mark.parametrize(
    ("files", "more", "message"),
    [
        (
            {"CHANGELOG.md": "## Unreleased\n\n## 1.2.0\n"},
            {},
            "CHANGELOG.md: the first heading is Unreleased",
        ),
        ({"CHANGELOG.md": "# Changelog\n"}, {}, "CHANGELOG.md: the first heading is missing"),
        ({"CHANGELOG.md": "## 1.2.0\n"}, {}, "the first heading is 1.2.0; 1.2.0 and its date"),
        (
            {"CITATION.cff": "version: 1.1.0\ndate-released: 2026-02-03\n"},
            {},
            "CITATION.cff: version is 1.1.0 where 1.2.0 is expected",
        ),
        ({"CITATION.cff": "version: 1.2.0\n"}, {}, "date-released is missing where 2026-02-03 is expected"),
        ({}, {"tags": ["v1.1.0"]}, "no tag v1.2.0"),
        ({}, {"changed": [" M README.md"]}, "files are not as committed:  M README.md"),
    ],
)
def test_what_is_to_be_put_right_is_said(tmp_path, files, more, message):
    (problem,) = found(tmp_path, files, **more)
    assert message in problem


def test_the_citation_has_the_version_of_the_package():
    assert [each for each in problems(REPOSITORY, [], []) if "CITATION.cff" in each] == []
