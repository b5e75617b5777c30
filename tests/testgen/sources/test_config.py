"""The operator's settings: stored, sent to servers, and never something that breaks a header."""

from __future__ import annotations

import io
import json
import re
import sys

import pytest

from testgen.errors import ConfigError
from testgen.sources import config

GOOD = ["me@example.org", "a.b+c@uni.example.edu", "https://example.org/~me", "http://example.org/"]
BAD = [
    "", "me", "me@", "@example.org", "me@host", "ftp://example.org", "me@example.org\r\nX-Header: 1",
    "me@example.org\nX: 1", "me @example.org", "https://", "mé@example.org", "me@example.org\0", "a\tb@c.d",
]  # fmt: skip


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    """No configuration yet, and a folder for it."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.delenv("TESTGEN_CONTACT", raising=False)
    return tmp_path


def test_there_is_none_at_first():
    assert config.contact() is None
    assert "(no contact given)" in config.user_agent(required=False)


def test_required_and_absent():
    with pytest.raises(
        ConfigError, match=r"testgen config contact you@university.edu.*TESTGEN_CONTACT.*nowhere"
    ):
        config.user_agent(required=True)


@pytest.mark.parametrize("contact", GOOD)
def test_kept_and_told(contact):
    assert config.store("contact", f" {contact}\n") == config.config_file()
    assert config.contact() == contact
    assert re.fullmatch(
        rf"testgen/\d\S* \({re.escape(contact)}\) python-requests/\d\S*", config.user_agent(required=True)
    )


@pytest.mark.parametrize("contact", BAD)
def test_what_is_no_contact_is_not_kept(contact):
    with pytest.raises(ConfigError, match="e-mail address"):
        config.store("contact", contact)
    assert not config.config_file().exists()


@pytest.mark.parametrize("contact", [contact for contact in BAD if contact and "\0" not in contact])
def test_what_is_no_contact_is_not_taken_from_elsewhere(contact, monkeypatch):
    config.config_file().parent.mkdir(parents=True, exist_ok=True)
    config.config_file().write_text(json.dumps({"contact": contact}), encoding="utf-8")
    with pytest.raises(ConfigError, match="contact"):
        config.user_agent(required=False)
    monkeypatch.setenv("TESTGEN_CONTACT", contact)
    with pytest.raises(ConfigError, match="contact"):
        config.user_agent(required=False)


def test_the_environment_wins(monkeypatch):
    config.store("contact", "file@example.org")
    monkeypatch.setenv("TESTGEN_CONTACT", "environment@example.org")
    assert config.contact() == "environment@example.org"
    monkeypatch.setenv("TESTGEN_CONTACT", "")
    assert config.contact() == "file@example.org"


@pytest.mark.skipif(sys.platform != "linux", reason="other platforms have other places")
def test_the_place_is_the_platform_s(home):
    assert config.config_file().is_relative_to(home)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'"me@example.org"', b"3", b"null", b"\xff\xfe{}"])
def test_a_file_that_cannot_be_read(content):
    config.config_file().parent.mkdir(parents=True)
    config.config_file().write_bytes(content)
    with pytest.raises(ConfigError, match=r"config\.json: .*delete it"):
        config.contact()


@pytest.mark.parametrize("content", ["{}", '{"contact": null}', '{"contact": ""}', '{"other": 1}'])
def test_a_file_without_a_contact(content):
    config.config_file().parent.mkdir(parents=True)
    config.config_file().write_text(content)
    assert config.contact() is None


def test_a_directory_in_its_place():
    config.config_file().mkdir(parents=True)
    with pytest.raises(ConfigError, match=r"config\.json: "):
        config.contact()
    with pytest.raises(ConfigError, match=r"config\.json: "):
        config.store("contact", "me@example.org")


def test_a_place_that_cannot_be_made(home):
    (home / "testgen").touch()
    with pytest.raises(ConfigError, match=r"config\.json: "):
        config.store("contact", "me@example.org")


def test_a_token_is_kept_beside_the_contact_and_never_shown(monkeypatch, command):
    config.store("contact", "me@example.org")
    for given, stored in (("a secret\n", False), ("eyJ0eXAi.secret-_\n", True), ("", False)):
        monkeypatch.setattr(sys, "stdin", io.StringIO(given))
        code, out, err = command("config", "token")
        assert code == (2 if " " in given else 0), err
        assert "secret" not in out + err
        assert config.token() == (given.strip() if stored else None)
    assert config.contact() == "me@example.org"
    assert config.config_file().stat().st_mode & 0o077 == 0
    monkeypatch.setenv("TESTGEN_TOKEN", "from-environment")
    assert config.token() == "from-environment"


def test_on_the_command_line(command):
    assert command("config", "contact") == (0, "no contact is set\n", "")
    _, out, _ = command("config", "contact", "me@example.org")
    assert out == f"stored in {config.config_file()}\n"
    assert command("config", "contact") == (0, "me@example.org\n", "")
    code, _, err = command("config", "contact", "me")
    assert (code, "is not a contact" in err) == (2, True)


def test_patience(command, monkeypatch):
    assert command("config", "patience") == (0, "30 minutes\n", "")
    assert command("config", "patience", "1.5h") == (0, f"stored in {config.config_file()}\n", "")
    assert command("config", "patience") == (0, "90 minutes\n", "")
    code, _, err = command("config", "patience", "soon")
    assert (code, "write it as 90s, 30m or 2h" in err) == (2, True)
    assert config.patience() == 5400
    monkeypatch.setenv("TESTGEN_PATIENCE", "90s")
    assert config.patience() == 90
    monkeypatch.setenv("TESTGEN_PATIENCE", "long")
    with pytest.raises(ConfigError, match=r"'long'.*write it as"):
        config.patience()


def test_wikidata_is_not_asked_by_nobody(home, monkeypatch, command):
    monkeypatch.setenv("XDG_CACHE_HOME", str(home / "cache"))
    arguments = ["generate", "--source", "wikidata", "-l", "la", "-o", str(home / "out")]
    code, out, err = command(*arguments)
    assert (code, out) == (2, "")
    assert "testgen config contact" in err
    assert not (home / "out").exists()
