"""The files in docs/deploy say what the service understands."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
import typer

from testgen.cli.app import app

REPOSITORY = Path(__file__).parents[3]
DEPLOY = REPOSITORY / "docs" / "deploy"
STARTS = ["Dockerfile", "compose.yaml", "testgen@.service"]


def serve_options():

    command = typer.main.get_command(app).commands["serve"]
    return {name for parameter in command.params for name in parameter.opts}


@pytest.mark.parametrize("name", STARTS)
def test_the_options_exist(name):
    text = (DEPLOY / name).read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if re.match(r"(ENTRYPOINT|\s+command:|ExecStart=)", line)]
    (line,) = lines
    used = set(re.findall(r"--[a-z][a-z-]+", line))
    assert used
    assert used <= serve_options()


def test_the_image_has_what_the_package_is_made_of():
    sent = (DEPLOY / "Dockerfile.dockerignore").read_text(encoding="utf-8").splitlines()
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]["only-include"]
    licenses = {name for name in project["project"]["license-files"] if name.partition("/")[0] not in wheel}
    needed = {*wheel, "pyproject.toml", "README.md", *licenses}
    assert sent[0] == "*"
    assert needed <= {line.removeprefix("!") for line in sent}
    assert all((REPOSITORY / name).exists() for name in needed)


def test_the_image_runs_as_nobody_special_and_is_checked():
    lines = (DEPLOY / "Dockerfile").read_text(encoding="utf-8").splitlines()
    user = next(number for number, line in enumerate(lines) if line.startswith("USER "))
    start = next(number for number, line in enumerate(lines) if line.startswith("ENTRYPOINT"))
    assert lines[user] not in ("USER 0", "USER root")
    assert user < start
    assert any("/healthz" in line for line in lines)


@pytest.mark.parametrize("name", ["Caddyfile", "Caddyfile.processes"])
def test_proxies_hide_the_metrics_and_check_the_health(name):
    text = (DEPLOY / name).read_text(encoding="utf-8")
    assert "respond /metrics 404" in text
    assert "health_uri /healthz" in text
    assert text.count("{") == text.count("}")
