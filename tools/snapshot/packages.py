"""Fetches the packages with CLDR's JSON, and that of language tags, from the npm registry.

`npm pack` fetches them from the registry that npm is configured for. `packages.tsv` has the hash of each
package, which is checked before every use; a package that was fetched before is not fetched again, and none
is unpacked.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import json
import os
import subprocess
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FOLDER = Path(os.environ.get("TESTGEN_CLDR") or Path.home() / ".cache" / "testgen-cldr")
"""Where fetched packages are kept; the environment variable `TESTGEN_CLDR` can name another folder."""

TABLE = Path(__file__).parent / "packages.tsv"


def version() -> str:
    """The version of all packages of CLDR, such as 48.2.0.

    Raises:
        SystemExit: The table names several versions.
    """
    versions = {row["version"] for row in _rows() if row["package"].startswith("cldr-")}
    if len(versions) != 1:
        raise SystemExit(f"{TABLE}: all packages of CLDR must have one version, here are {sorted(versions)}")
    return versions.pop()


def _rows() -> list[dict[str, str]]:
    with TABLE.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def archive(name: str) -> Path:
    """The file of a package; it is fetched if it is not there.

    Raises:
        SystemExit: npm could not fetch it, or its content is not what the table says.
    """
    (row,) = (row for row in _rows() if row["package"] == name)
    path = FOLDER / f"{name}-{row['version']}.tgz"
    if not path.exists():
        _fetch(f"{name}@{row['version']}")
    digest = hashlib.sha512(path.read_bytes()).digest()
    if f"sha512-{base64.b64encode(digest).decode()}" != row["integrity"]:
        raise SystemExit(f"{path} is not the package that {TABLE.name} describes: delete it and try again")
    return path


def _fetch(package: str) -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    command = ["npm", "pack", package, "--silent", "--pack-destination", str(FOLDER)]
    try:
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)  # noqa: S603
    except (OSError, subprocess.CalledProcessError) as error:
        raise SystemExit(f"npm could not fetch {package}: {error}") from None


def documents(name: str, file_name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The JSON files of a package that have this name or match it, each with its locale.

    This is the name of its folder, as in `main/de/units.json`; for a pattern, that of the file, as in
    `rbnf/de.json` for `rbnf/*.json`.
    """
    with tarfile.open(archive(name)) as package:
        for member in package:
            path = Path(member.name)
            if path.match(file_name) and (file := package.extractfile(member)):
                yield path.stem if "*" in file_name else path.parent.name, json.load(file)


def document(name: str, file_name: str) -> dict[str, Any]:
    """The one JSON file of a package that has this name."""
    ((_, content),) = documents(name, file_name)
    return content
