"""What the operator sets once for all runs: contact, token, patience; and the User-Agent header."""

from __future__ import annotations

import json
import os
from importlib.metadata import version
from pathlib import Path
from typing import Any

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
    """The operator's contact: from the environment, else from the configuration file; None if not set."""
    given = _setting("contact")
    return checked_contact(given) if given else None


def token() -> str | None:
    """The token of the operator's Wikimedia account: from the environment, else stored; None if not set."""
    given = _setting("token")
    return _checked_token(given) if given else None


def patience() -> float:
    """How long in seconds to wait for a server that is busy; from the environment, else stored."""
    given = _setting("patience")
    return _seconds(given) if given else PATIENCE


def _setting(name: str) -> str:
    return str(os.environ.get(f"TESTGEN_{name.upper()}") or _stored().get(name) or "")


def _stored() -> dict[str, Any]:
    path = config_file()
    try:
        return dict(json.loads(path.read_text(encoding="utf-8")).items())
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, AttributeError) as error:
        raise ConfigError(f"{path}: cannot be read ({error}); delete it and set the contact again") from error


def set_contact(text: str) -> Path:
    """Store the contact; returns the file to which it was written."""
    return _store("contact", checked_contact(text))


def set_token(text: str) -> Path:
    """Store the token, or remove it if the text is empty; returns the file, which only its owner can read."""
    return _store("token", _checked_token(text) if text.strip() else None)


def set_patience(text: str) -> Path:
    """Store the patience, such as `90s`, `30m` or `2h`; returns the file to which it was written."""
    _seconds(text)
    return _store("patience", text.strip())


def _store(name: str, value: str | None) -> Path:
    path = config_file()
    content = {key: each for key, each in (_stored() | {name: value}).items() if each is not None}
    with atomic_write(path, mode=0o600) as temporary:
        temporary.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return path


def _checked_token(text: str) -> str:
    if not _TOKEN.fullmatch(text.strip()):
        raise ConfigError(
            "this is not a token: it must be one line of letters, digits and signs, without spaces; copy it "
            "again from the page of your account's OAuth client"
        )
    return text.strip()


def _seconds(text: str) -> float:
    match = _DURATION.fullmatch(text.strip())
    if match is None:
        raise ConfigError(f"the patience is {text!r}, which is not a time; write it as 90s, 30m or 2h")
    return float(match[1]) * _UNITS[match[2]]


def checked_contact(text: str) -> str:
    """The contact, if it is one. It is sent in a header, so only printable ASCII is accepted."""
    text = text.strip()
    if not (_EMAIL.fullmatch(text) or _URL.fullmatch(text)):
        raise ConfigError(
            f"{text!r} is not a contact; give an e-mail address, or the URL of a page about you"
        )
    return text


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
