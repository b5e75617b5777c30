"""Wikibase's entity API: the names of up to 50 items in one request, in all languages at once."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import regex

from testgen.errors import SourceError
from testgen.sources.base import Texts
from testgen.sources.http_answers import (
    BusyServer,
    RateLimit,
    TemporaryFault,
    check_status,
    not_json_error,
    retry_after,
    wrong_content_error,
)
from testgen.sources.server import Server

_SECONDS = 60
_LAG_WAIT = 5.0  # the shortest wait when the servers' replication lags
_LIMITS = ("ratelimited", "actionthrottledtext")
_TEMPORARY = ("internal_api_error", "failed-save", "timeout")
_TAGS = {"mo": "ro-cyrl-md"}  # of codes that have retired, and that the API has for something else
_ITEM_ID = regex.compile(r"Q[1-9][0-9]*")


@dataclass(frozen=True)
class EntityApi:
    """The client of the API's action `wbgetentities`; its URL is that of `api.php`."""

    url: str
    user_agent: str
    server: Server
    batch_size: int = field(default=50, init=False)

    def names(self, items: Sequence[str]) -> dict[str, dict[str, Texts]]:
        """Labels and aliases of at most 50 items, each `{"labels": …, "aliases": …}`, by requested id.

        Raises:
            SourceError: The items are not of the Wikibase of this API.
        """
        of_number = {item.rpartition("/")[2]: item for item in items}
        for namespace in sorted({item.rpartition("/")[0] for item in items}):
            self._check(namespace)
        return {of_number[number]: texts for number, texts in self._by_number(list(of_number)).items()}

    def _check(self, namespace: str) -> None:
        """Refuse items of another Wikibase: their numbers would get the names of other things."""
        if namespace and _bare(namespace) != _bare(self._own_namespace):
            raise SourceError(
                f"{self.server.name} names the items of {self._own_namespace}, and the query gives those "
                f"of {namespace}/; set TESTGEN_WIKIDATA_API to the api.php of that Wikibase, or ask its "
                "endpoint alone (--source URL), which has names too"
            )

    @cached_property
    def _own_namespace(self) -> str:
        parameters = {"action": "query", "meta": "siteinfo", "siprop": "general"}
        answer = self.server.ask(partial(self._get, parameters))
        try:
            return str(answer["query"]["general"]["wikibase-conceptbaseuri"])
        except (KeyError, TypeError) as error:
            raise SourceError(
                f"{self.server.name}: does not say whose items it names; is it a Wikibase?"
            ) from error

    def _by_number(self, missing: list[str]) -> dict[str, dict[str, Texts]]:
        found: dict[str, dict[str, Texts]] = {}
        while missing:
            answer = self.server.ask(partial(self._send, tuple(missing)))
            refused = _refused_id(answer, missing)
            # The API refuses the whole batch for a single id that it cannot read.
            new = {refused: _texts({})} if refused else _names(self.server.name, answer, missing)
            found |= new
            # An answer that would be too large lacks some of the entities.
            missing = [item for item in missing if item not in new]
        return found

    def _send(self, items: Sequence[str]) -> dict[str, Any]:
        parameters = {
            "action": "wbgetentities",
            "ids": "|".join(items),
            "props": "labels|aliases",
            "maxlag": "5",
        }
        return self._get(parameters)

    def _get(self, parameters: Mapping[str, str]) -> dict[str, Any]:
        parameters = {**parameters, "format": "json", "formatversion": "2"}
        agent = {"User-Agent": self.user_agent}
        return self._parse(*self.server.exchange("GET", self.url, _SECONDS, params=parameters, headers=agent))

    def _parse(self, status: int, headers: Mapping[str, str], body: str) -> dict[str, Any]:
        value: Any = None
        with contextlib.suppress(ValueError, RecursionError):
            value = json.loads(body)
        error = value.get("error") if isinstance(value, dict) else None
        code = str(error.get("code", "unknown")) if isinstance(error, dict) else ""
        wait = retry_after(headers.get("retry-after"))
        if code == "maxlag":
            raise BusyServer(f"the servers lag behind ({_info(value)})", max(_LAG_WAIT, wait or 0.0))
        if code in _LIMITS:
            raise RateLimit(f"too many requests ({code})", _LAG_WAIT if wait is None else wait)
        if code == "readonly":
            raise BusyServer(f"the server is read-only ({_info(value)})", wait)
        if any(code.startswith(temporary) for temporary in _TEMPORARY):
            raise TemporaryFault(f"server error ({code})", wait)
        check_status(self.server.name, status, headers, body)
        if value is None and body.strip() != "null":
            raise not_json_error(self.server.name, headers.get("content-type", ""), body)
        if not isinstance(value, dict) or not ({"entities", "success", "error", "query"} & value.keys()):
            raise wrong_content_error(self.server.name, headers.get("content-type", ""), body)
        return value


def _bare(namespace: str) -> str:
    """A namespace without what may differ: http or https, and the slash at its end."""
    return namespace.partition("://")[2].rstrip("/")


def _info(value: Mapping[str, Any]) -> str:
    return str(value["error"].get("info", ""))[:120].rstrip(".")


def _refused_id(answer: dict[str, Any], asked: Sequence[str]) -> str | None:
    if "error" not in answer:
        return None
    error = answer["error"]
    named = str(error.get("id", "")), *_ITEM_ID.findall(str(error.get("info", "")))
    for item in named:
        if error.get("code") == "no-such-entity" and item in asked:
            return str(item)
    raise SourceError(f"the entity API refuses ({error.get('code')}): {error.get('info')}")


def _names(name: str, answer: dict[str, Any], asked: Sequence[str]) -> dict[str, dict[str, Texts]]:
    entities = answer["entities"] if isinstance(answer.get("entities"), dict) else {}
    try:
        # A merged item has the id that was asked for, and the names of its target.
        found = {item: _texts(entities[item]) for item in asked if item in entities}
    except (AttributeError, KeyError, TypeError) as error:
        raise SourceError(f"{name}: the names do not have the form that the entity API gives them") from error
    if not found:
        raise SourceError(f"{name}: the answer holds none of {', '.join(asked[:5])}")
    return found


def _texts(entity: Mapping[str, Any]) -> dict[str, Texts]:
    # PHP writes an empty map as an empty list.
    labels, aliases = entity.get("labels") or {}, entity.get("aliases") or {}
    return {
        "labels": {_TAGS.get(code, code): [label["value"]] for code, label in labels.items()},
        "aliases": {
            _TAGS.get(code, code): [alias["value"] for alias in of_code] for code, of_code in aliases.items()
        },
    }
