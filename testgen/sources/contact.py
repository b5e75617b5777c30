"""Who asks: the operator's contact, stored once for all runs, and the User-Agent header made from it."""

from __future__ import annotations

import json
import os
from importlib.metadata import version
from pathlib import Path

import regex

from testgen.errors import ConfigError
from testgen.system import atomic_write

ENVIRONMENT = "TESTGEN_CONTACT"
_EMAIL = regex.compile(r"[!-~]+@[!-~]+\.[!-~]+")
_URL = regex.compile(r"https?://[!-~]+")


def config_file() -> Path:
    """The path of the configuration file, in the platform's folder for configuration."""
    import platformdirs

    return platformdirs.user_config_path("testgen") / "config.json"


def contact() -> str | None:
    """The operator's contact: from the environment, else from the configuration file; None if not set.

    Raises:
        ConfigError: The contact or the file is malformed.
    """
    given = os.environ.get(ENVIRONMENT)
    if given:
        return checked_contact(given)
    path = config_file()
    try:
        stored = json.loads(path.read_text(encoding="utf-8")).get("contact")
    except FileNotFoundError:
        return None
    except (OSError, ValueError, AttributeError) as error:
        raise ConfigError(f"{path}: cannot be read ({error}); delete it and set the contact again") from error
    return checked_contact(str(stored)) if stored else None


def set_contact(text: str) -> Path:
    """Store the contact.

    Returns:
        The file to which it was written.

    Raises:
        ConfigError: It is not an e-mail address or a URL.
        OutputError: The file cannot be written.
    """
    path = config_file()
    content = json.dumps({"contact": checked_contact(text)}, ensure_ascii=False, indent=1) + "\n"
    with atomic_write(path) as temporary:
        temporary.write_text(content, encoding="utf-8")
    return path


def checked_contact(text: str) -> str:
    """The contact, if it is one. It is sent in a header, so only printable ASCII is accepted.

    Raises:
        ConfigError: It is not an e-mail address or a URL.
    """
    text = text.strip()
    if not (_EMAIL.fullmatch(text) or _URL.fullmatch(text)):
        raise ConfigError(
            f"{text!r} is not a contact; give an e-mail address, or the URL of a page about you"
        )
    return text


def user_agent(*, required: bool) -> str:
    """How testgen introduces itself, in the form that Wikimedia's User-Agent policy asks for.

    Raises:
        ConfigError: It is needed, and none is set.
    """
    who = contact()
    if who is None and required:
        raise ConfigError(
            "Wikidata asks every program to say who runs it, so that its operators can write to you before "
            "they block you. Tell testgen once: testgen config contact you@university.edu "
            f"(or set {ENVIRONMENT}). testgen sends it to the servers you ask and nowhere else."
        )
    return f"testgen/{version('testgen-evaluator')} ({who or 'no contact given'}) python"
