"""What the operator sets once for all runs: contact, token, patience; and the User-Agent header."""

from __future__ import annotations

import json
import os
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal

import regex

from testgen.errors import ConfigError
from testgen.system import atomic_write

PATIENCE = 1800.0  # seconds, if nothing else is set
_EMAIL = regex.compile(r"[!-~]+@[!-~]+\.[!-~]+")
_TOKEN = regex.compile(r"[!-~]{8,}")
_URL = regex.compile(r"https?://[!-~]+")
_DURATION = regex.compile(r"([0-9]+(?:\.[0-9]+)?) ?([smh])")
_UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0}


def config_file() -> Path:
    """The path of the configuration file, in the platform's folder for configuration."""
    import platformdirs

    return platformdirs.user_config_path("testgen") / "config.json"


def contact() -> str | None:
    """The operator's contact; None if not set."""
    return _setting("contact") or None


def token() -> str | None:
    """The token of the operator's Wikimedia account; None if not set."""
    return _setting("token") or None


def patience() -> float:
    """How long in seconds to wait for a server that is busy."""
    given = _setting("patience")
    return _seconds(given) if given else PATIENCE


def _setting(name: str) -> str:
    """A setting, checked: from the environment, else from the configuration file; empty if not set."""
    given = str(os.environ.get(f"TESTGEN_{name.upper()}") or _stored().get(name) or "")
    return _checked(name, given) if given else ""


def _stored() -> dict[str, Any]:
    path = config_file()
    try:
        return dict(json.loads(path.read_text(encoding="utf-8")).items())
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, AttributeError) as error:
        raise ConfigError(f"{path}: cannot be read ({error}); delete it and set the contact again") from error


def store(name: Literal["contact", "token", "patience"], text: str) -> Path:
    """Store a setting, such as the patience `2h`; returns the file, which only its owner can read.

    An empty token removes the stored one.
    """
    path, given = config_file(), text.strip()
    value = None if name == "token" and not given else _checked(name, given)
    content = {key: each for key, each in (_stored() | {name: value}).items() if each is not None}
    with atomic_write(path, mode=0o600) as temporary:
        temporary.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return path


def _checked(name: str, text: str) -> str:
    given = text.strip()
    # The contact is sent in a header, so only printable ASCII is accepted.
    if name == "contact" and not (_EMAIL.fullmatch(given) or _URL.fullmatch(given)):
        raise ConfigError(
            f"{given!r} is not a contact; give an e-mail address, or the URL of a page about you"
        )
    if name == "token" and not _TOKEN.fullmatch(given):
        raise ConfigError(
            "this is not a token: it must be one line of letters, digits and signs, without spaces; copy it "
            "again from the page of your account's OAuth client"
        )
    if name == "patience":
        _seconds(given)
    return given


def _seconds(text: str) -> float:
    match = _DURATION.fullmatch(text)
    if match is None:
        raise ConfigError(f"the patience is {text!r}, which is not a time; write it as 90s, 30m or 2h")
    return float(match[1]) * _UNITS[match[2]]


def user_agent(*, required: bool) -> str:
    """How testgen introduces itself, in the form that Wikimedia's User-Agent policy asks for."""
    who = contact()
    if who is None and required:
        raise ConfigError(
            "Wikidata asks every program to say who runs it, so that its operators can write to you before "
            "they block you. Tell testgen once: testgen config contact you@university.edu "
            "(or set TESTGEN_CONTACT). testgen sends it to the servers you ask and nowhere else."
        )
    library = f"python-requests/{version('requests')}"
    return f"testgen/{version('testgen-evaluator')} ({who or 'no contact given'}) {library}"
