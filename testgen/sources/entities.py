"""Wikibase's entity API: the names of up to 50 items in one request, in all languages at once."""

from __future__ import annotations

import http.client
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import regex

from testgen.errors import SourceError
from testgen.sources.web import (
    PassingFault,
    Web,
    broken_connection,
    check_status,
    lower_case,
    no_json,
    not_what_was_asked_for,
    read_text,
    retry_after,
)

_SECONDS = 60
_LAG_WAIT = 5.0  # the least to wait when the servers lag behind
_PASSING = ("internal_api_error", "ratelimited", "readonly", "actionthrottledtext", "failed-save", "timeout")
_ITEM_ID = regex.compile(r"Q[1-9][0-9]*")

Texts = dict[str, list[str]]
"""Names by language code as the server spells it."""


@dataclass(frozen=True)
class EntityApi:
    """The door to `wbgetentities`.

    Attributes:
        url: The address of `api.php`.
        user_agent: How to introduce oneself.
        web: The server's door.
    """

    url: str
    user_agent: str
    web: Web
    batch_size: int = field(default=50, init=False)

    def names(self, items: Sequence[str]) -> dict[str, dict[str, Texts]]:
        """Labels and aliases of items, each `{"labels": …, "aliases": …}`, by the id that was asked for.

        What does not exist, or has been deleted, has none; what has been merged has those of the item that it
        was merged into.

        Args:
            items: At most 50 item ids.

        Raises:
            SourceError: The server fails or refuses.
        """
        wanted = list(items)
        found: dict[str, dict[str, Texts]] = {}
        while wanted:
            answer = self.web.ask(partial(self._send, tuple(wanted)))
            refused = _refused_id(answer, wanted)
            # One id that the server cannot read fails the whole batch.
            new = _names(self.web.name, answer, wanted) if refused is None else {refused: _nothing()}
            found |= new
            # An answer that would be too large comes without some of its entities.
            wanted = [item for item in wanted if item not in new]
        return found

    def _send(self, items: Sequence[str]) -> dict[str, Any]:
        """Ask once; see `Web.ask` for what is raised."""
        import requests

        form = {
            "action": "wbgetentities",
            "ids": "|".join(items),
            "props": "labels|aliases",
            "format": "json",
            "formatversion": "2",
            "maxlag": "5",
        }
        agent = {"User-Agent": self.user_agent}
        try:
            with requests.post(
                self.url, data=form, headers=agent, timeout=_SECONDS, allow_redirects=False, stream=True
            ) as response:
                body = read_text(response.iter_content(1024))
                return self._parse(response.status_code, lower_case(response.headers), body)
        except (requests.RequestException, http.client.HTTPException, OSError) as error:
            raise broken_connection(error) from error

    def _parse(self, status: int, headers: Mapping[str, str], body: str) -> dict[str, Any]:
        value = _json(body)
        code = _error_code(value)
        if code == "maxlag":
            wait = retry_after(headers.get("retry-after")) or 0.0
            raise PassingFault("the servers lag behind", max(_LAG_WAIT, wait))
        if any(code.startswith(passing) for passing in _PASSING):
            raise PassingFault(f"server error ({code})", retry_after(headers.get("retry-after")))
        check_status(self.web.name, status, headers, body)
        if value is None and body.strip() != "null":
            raise no_json(self.web.name, headers.get("content-type", ""), body)
        if not isinstance(value, dict) or not ({"entities", "success", "error"} & value.keys()):
            raise not_what_was_asked_for(self.web.name, headers.get("content-type", ""), body)
        return value


def _json(body: str) -> Any:  # noqa: ANN401  # any JSON value
    import json

    try:
        return json.loads(body)
    except ValueError:
        return None


def _error_code(value: Any) -> str:  # noqa: ANN401  # any JSON value
    error = value.get("error") if isinstance(value, dict) else None
    return str(error.get("code", "unknown")) if isinstance(error, dict) else ""


def _refused_id(answer: dict[str, Any], wanted: Sequence[str]) -> str | None:
    """The id that made the server refuse the batch, or None if it did not refuse.

    Raises:
        SourceError: It refused for another reason.
    """
    if "error" not in answer:
        return None
    error = answer["error"]
    told = str(error.get("id", "")), *_ITEM_ID.findall(str(error.get("info", "")))
    for item in told:
        if error.get("code") == "no-such-entity" and item in wanted:
            return str(item)
    raise SourceError(f"the entity API refuses ({error.get('code')}): {error.get('info')}")


def _names(name: str, answer: dict[str, Any], wanted: Sequence[str]) -> dict[str, dict[str, Texts]]:
    entities = answer["entities"] if isinstance(answer.get("entities"), dict) else {}
    try:
        # A merged item comes under the id that was asked for, with the names of its target.
        found = {item: _texts(entities[item]) for item in wanted if item in entities}
    except (AttributeError, KeyError, TypeError) as error:
        raise SourceError(f"{name}: names have not the form that the entity API gives them") from error
    if not found:
        raise SourceError(f"{name}: the answer says nothing of {', '.join(wanted[:5])}")
    return found


def _nothing() -> dict[str, Texts]:
    return {"labels": {}, "aliases": {}}


def _texts(entity: Mapping[str, Any]) -> dict[str, Texts]:
    # PHP writes an empty map as an empty list.
    labels, aliases = entity.get("labels") or {}, entity.get("aliases") or {}
    return {
        "labels": {code: [label["value"]] for code, label in labels.items()},
        "aliases": {code: [alias["value"] for alias in of_code] for code, of_code in aliases.items()},
    }
