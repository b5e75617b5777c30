"""Check that version, changelog, citation and tag agree, build what is published, and show the sizes."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

from tools.sizes import beside_last_release

REPOSITORY = Path(__file__).parent.parent


def problems(repository: Path, tags: list[str], changed: list[str]) -> Iterator[str]:
    """What is to be put right before a release.

    Args:
        repository: The folder of the project.
        tags: The tags of the newest commit.
        changed: The files that are not as committed.
    """

    def text(name: str) -> str:
        return (repository / name).read_text(encoding="utf-8")

    version = tomllib.loads(text("pyproject.toml"))["project"]["version"]
    newest = re.search(r"^## (.+)$", text("CHANGELOG.md"), re.MULTILINE)
    first = newest[1] if newest else "missing"
    dated = re.fullmatch(rf"{re.escape(version)} - (\d{{4}}-\d\d-\d\d)", first)
    if dated is None:
        yield f"CHANGELOG.md: the first heading is {first}; {version} and its date, 2026-01-31, are expected"
    cited = dict(re.findall(r"^([a-z-]+): (\S+)$", text("CITATION.cff"), re.MULTILINE))
    for name, right in (("version", version), ("date-released", dated and dated[1])):
        if right and cited.get(name) != right:
            yield f"CITATION.cff: {name} is {cited.get(name, 'missing')} where {right} is expected"
    if f"v{version}" not in tags:
        yield f"the newest commit has no tag v{version}: git tag -a v{version}"
    if changed:
        yield f"files are not as committed: {', '.join(changed)}"


def _git(*arguments: str) -> list[str]:
    command = ["git", "-C", str(REPOSITORY), *arguments]
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=True).stdout.splitlines()  # noqa: S603


def main() -> None:
    """Refuse, or build and check the wheel and the archive of sources."""
    found = list(problems(REPOSITORY, _git("tag", "--points-at", "HEAD"), _git("status", "--porcelain")))
    if found:
        sys.exit("\n".join(found))
    subprocess.run([sys.executable, "-m", "build"], cwd=REPOSITORY, check=True)
    built = sorted(map(str, (REPOSITORY / "dist").iterdir()))
    check = [sys.executable, "-m", "twine", "check", "--strict", *built]
    subprocess.run(check, cwd=REPOSITORY, check=True)  # noqa: S603
    print(beside_last_release(REPOSITORY))


if __name__ == "__main__":
    main()
