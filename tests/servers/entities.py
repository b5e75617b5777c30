"""Wikibase's `wbgetentities` and `wbcontentlanguages`, with their refusals and oddities.

What is imitated, and where it is written down (Wikibase = mediawiki-extensions-Wikibase):

- Answers are keyed by the id that was asked for; a redirect's entity has the target's `id` and
  `"redirects": {"from": …, "to": …}`. A redirect to a redirect is missing, and so is any redirect with
  `redirects=no`. (Wikibase repo/includes/Api/GetEntities.php, ResultBuilder.php, and the assertions of
  repo/tests/phpunit/includes/Api/GetEntitiesRedirectTest.php.)
- A missing entity is `{"id": "Q…", "missing": ""}`, with formatversion 2 as well: Wikibase sets the empty
  string itself, not a boolean that the format would turn into `true`. (ResultBuilder::addMissingEntity.)
- The first malformed id fails the whole request with `no-such-entity` and is named in `error.id`. Ids are
  `[QPL]` in either case, a number without leading zeros that fits 32 bits; forms and senses are entities
  too. (GetEntities::getEntityIdsFromIdParam; ItemId, LexemeId and Int32EntityId.)
- `props` filters labels, descriptions, aliases, claims and sitelinks, nothing else: the datatype of a
  property and lemmas, forms and senses of a lexeme are always there.
  (ResultBuilder::filterEntitySerializationUsingProps.)
- API errors have HTTP status 200 and the header `MediaWiki-API-Error`; `maxlag` too (503
  in old versions), with `Retry-After: max(maxlag, 5)` and `X-Database-Lag`, and before the module looks
  at its parameters. (MediaWiki includes/api/ApiMain.php::checkMaxLag; Manual:Maxlag parameter.)
- Over 50 values: `toomanyvalues` with parameter, limit, lowlimit, highlimit, counted before duplicates are
  dropped. (MediaWiki includes/libs/ParamValidator/ParamValidator.php.)
- An answer too large is cut between entities, with a warning and no error: `$wgAPIMaxResultSize`.
"""

from __future__ import annotations

import bz2
import csv
import gzip
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.servers.base import LocalServer, Request, Response

Entity = dict[str, Any]

SMALL = Path(__file__).parent / "entities_small.json"
LANGUAGES = Path(__file__).parents[2] / "testgen" / "languages" / "languages.tsv"
NO_USER_AGENT = (
    "Please set a user-agent and respect our robot policy https://w.wiki/4wJS. "
    "See also https://phabricator.wikimedia.org/T400119.\n"
)
DOCUMENTATION = "See https://www.wikidata.org/w/api.php for API usage."

_ID = re.compile(r"([QPL])([1-9][0-9]{0,9})|(L[1-9][0-9]{0,9}-[FS][1-9][0-9]*)", re.IGNORECASE)
_PROPS = ("info", "sitelinks", "sitelinks/urls", "aliases", "labels", "descriptions", "claims", "datatype")
_DEFAULT_PROPS = "info|sitelinks|aliases|labels|descriptions|claims|datatype"
_TERMS = ("labels", "descriptions", "aliases")
_CONTEXTS = ("monolingualtext", "term", "term-lexicographical")
_MAIN = (
    "action", "format", "formatversion", "errorformat", "errorlang", "errorsuselocal", "maxlag", "smaxage",
    "maxage", "assert", "assertuser", "requestid", "servedby", "curtimestamp", "responselanginfo", "origin",
    "crossorigin", "uselang", "variant", "callback", "utf8", "ascii",
)  # fmt: skip
_OF_ACTION = {
    "wbgetentities": (
        "ids", "sites", "titles", "redirects", "props", "languages", "languagefallback", "normalize",
        "sitefilter",
    ),
    "query": ("meta", "wbclcontext", "wbclprop", "continue"),
}  # fmt: skip


class ApiError(Exception):
    """What the API refuses with."""

    def __init__(
        self, code: str, info: str, status: int = 200, headers: Mapping[str, str] | None = None, **data
    ):
        super().__init__(info)
        self.code = code
        self.info = info
        self.status = status
        self.headers = headers or {}
        self.data = data


@dataclass
class _Call:
    """One call under way."""

    params: dict[str, str]
    warnings: list[tuple[str, str, str]]

    @property
    def modern(self) -> bool:
        return self.params.get("formatversion") in ("2", "latest")

    def values(self, name: str, default: str, allowed: Sequence[str] | None, limit: int) -> list[str]:
        """A parameter's values, without duplicates and without those that are not allowed."""
        given = self.params.get(name, default)
        values = given[1:].split("\x1f") if given.startswith("\x1f") else given.split("|") if given else []
        if len(values) > limit:
            info = f'Too many values supplied for parameter "{name}". The limit is {limit}.'
            raise ApiError(
                "toomanyvalues", info, parameter=name, limit=limit, lowlimit=limit, highlimit=10 * limit
            )
        odd = [value for value in values if allowed is not None and value not in allowed]
        if odd:
            text = f'Unrecognized value{"s" * (len(odd) > 1)} for parameter "{name}": {", ".join(odd)}.'
            self.warn(self.params["action"], "unrecognizedvalues", text)
        return [value for value in dict.fromkeys(values) if value not in odd]

    def one_of(self, name: str, default: str, allowed: Sequence[str]) -> str:
        value = self.params.get(name, default)
        if value not in allowed:
            raise ApiError("badvalue", f'Unrecognized value for parameter "{name}": {value}.')
        return value

    def warn(self, module: str, code: str, text: str) -> None:
        self.warnings.append((module, code, text))


class EntityServer(LocalServer):
    """Answers like Wikidata's `/w/api.php`, from a mapping of ids to entities in the shape of the dumps.

    A redirect is an entity of the shape `{"entity": "Q1", "redirect": "Q2"}`. The attributes can be changed
    while the server runs.

    Attributes:
        lag: Seconds of lag; calls with a smaller `maxlag` are refused.
        maxlag_status: The HTTP status of that refusal.
        empty_maps_as_lists: Whether empty labels and aliases come as `[]`, as PHP writes them.
        require_user_agent: Whether requests without User-Agent get a 403.
        require_contact: Whether a User-Agent needs an address (`@` or `http`) in it, or gets a 403.
        limit: How many values a parameter takes.
        max_result_size: Bytes of entities after which the rest is left out of an answer, with a warning.
    """

    path = "/w/api.php"

    def __init__(self, entities: Mapping[str, Entity], languages: Mapping[str, str | None] | None = None):
        super().__init__()
        self.entities = entities
        self.languages = term_languages() if languages is None else dict(languages)
        self.lag = 0.0
        self.maxlag_status = 200
        self.empty_maps_as_lists = False
        self.require_user_agent = True
        self.require_contact = False
        self.limit = 50
        self.max_result_size: int | None = None

    def respond(self, request: Request) -> Response:
        if request.path != self.path:
            return Response.text(404, "File not found.\n")
        agent = request.headers.get("user-agent", "")
        if (self.require_user_agent and not agent) or (
            self.require_contact and not re.search("@|http", agent)
        ):
            return Response.text(403, NO_USER_AGENT)
        if request.params.get("format") != "json":
            return Response(200, _HELP.encode(), {"Content-Type": "text/html; charset=utf-8"})
        return self._json(_Call(request.params, []))

    def _json(self, call: _Call) -> Response:
        headers = {
            "Content-Type": "application/json; charset=utf-8",
            "Cache-Control": "private, must-revalidate",
        }
        status = 200
        try:
            answer = self._act(call)
        except ApiError as error:
            answer = _error(error, call)
            status = error.status
            headers |= {"MediaWiki-API-Error": error.code, **error.headers}
        if call.warnings:
            answer = {"warnings": _warnings(call), **answer}
        escape = not call.modern and "utf8" not in call.params
        return Response(
            status, json.dumps(answer, ensure_ascii=escape, separators=(",", ":")).encode(), headers
        )

    def _act(self, call: _Call) -> Entity:
        action = call.one_of("action", "help", list(_OF_ACTION))
        call.one_of("formatversion", "1", ("1", "2", "latest"))
        call.one_of("errorformat", "bc", ("bc", "plaintext", "wikitext", "html", "raw", "none"))
        self._check_lag(call)
        unknown = [name for name in call.params if name not in (*_MAIN, *_OF_ACTION[action])]
        if unknown:
            text = f"Unrecognized parameter{'s' * (len(unknown) > 1)}: {', '.join(unknown)}."
            call.warn("main", "unrecognizedparams", text)
        return self._get_entities(call) if action == "wbgetentities" else self._query(call)

    def _check_lag(self, call: _Call) -> None:
        given = call.params.get("maxlag")
        if given is None:
            return
        if not re.fullmatch(r"[+-]?\d+", given):
            raise ApiError("badinteger", f'Invalid value "{given}" for integer parameter "maxlag".')
        if self.lag > int(given):
            raise maxlag_error(self.lag, int(given), self.maxlag_status)

    def _get_entities(self, call: _Call) -> Entity:
        if "ids" not in call.params:
            info = 'Either provide the item "ids" or pairs of "sites" and "titles" for corresponding pages.'
            raise ApiError("param-missing", info)
        redirects = call.one_of("redirects", "yes", ("yes", "no")) == "yes"
        props = call.values("props", _DEFAULT_PROPS, _PROPS, self.limit)
        languages = call.values("languages", "", list(self.languages), self.limit)
        ids = [_parsed(text) for text in call.values("ids", "", None, self.limit)]
        found = {key: self._record(key, props, languages, redirects, call) for key in dict.fromkeys(ids)}
        found = self._cut(found, call)
        return {"entities": found, "success": 1} if found else {"success": 1}

    def _record(
        self, key: str, props: list[str], languages: list[str], redirects: bool, call: _Call
    ) -> Entity:
        entity = self._resolved(key, redirects)
        if entity is None:
            return {"id": key, "missing": ""}
        if not props:
            return {"id": entity["id"], "type": entity["type"]}
        record: Entity = _page(entity) if "info" in props else {}
        if entity["id"] != key:
            record["redirects"] = {"from": key, "to": entity["id"]}
        for name, value in entity.items():
            if name in _TERMS and name in props:
                terms = _with_fallback(value or {}, name, languages, call)
                record[name] = self._map({c: t for c, t in terms.items() if not languages or c in languages})
            elif name in ("claims", "sitelinks") and name in props:
                record[name] = self._map(value or {})
            elif name not in (*_TERMS, "claims", "sitelinks", *_PAGE):
                record[name] = value
        return record

    def _resolved(self, key: str, redirects: bool) -> Entity | None:
        """An entity, at most one redirect further; None if that leads nowhere."""
        entity = self._found(key)
        if entity is not None and redirects and "redirect" in entity:
            entity = self.entities.get(entity["redirect"])
        return None if entity is None or "redirect" in entity else entity

    def _found(self, key: str) -> Entity | None:
        """An entity, or a form or sense inside its lexeme."""
        whole, _, part = key.partition("-")
        entity = self.entities.get(whole)
        if not part or entity is None:
            return entity
        kind, parts = ("form", "forms") if part[0] == "F" else ("sense", "senses")
        return next(({"type": kind, **each} for each in entity[parts] if each["id"] == key), None)

    def _map(self, value: Entity) -> Entity | list[Any]:
        return [] if not value and self.empty_maps_as_lists else value

    def _cut(self, found: dict[str, Entity], call: _Call) -> dict[str, Entity]:
        """What fits in an answer."""
        if self.max_result_size is None:
            return found
        room = self.max_result_size
        fitting = {}
        for key, record in found.items():
            size = len(json.dumps(record, ensure_ascii=False).encode())
            if size <= room:
                room -= size
                fitting[key] = record
        if len(fitting) < len(found):
            text = (
                "This result was truncated because it would otherwise be larger than the limit of "
                f"{self.max_result_size:,} bytes."
            )
            call.warn("result", "truncatedresult", text)
        return fitting

    def _query(self, call: _Call) -> Entity:
        done: Entity = {"batchcomplete": True if call.modern else ""}
        if call.params.get("meta") != "wbcontentlanguages":
            return done
        call.one_of("wbclcontext", "term", _CONTEXTS)
        props = call.values("wbclprop", "code", ("code", "autonym", "name"), self.limit)
        of_code = {
            code: {prop: code if prop == "code" else name for prop in props}
            for code, name in self.languages.items()
        }
        return {**done, "query": {"wbcontentlanguages": of_code}}


_PAGE = ("pageid", "ns", "title", "lastrevid", "modified")
_HELP = (
    "<!DOCTYPE html>\n<html><head><title>MediaWiki API help - Wikidata</title></head><body></body></html>\n"
)


def maxlag_error(lag: float, maxlag: int, status: int = 200) -> ApiError:
    """The refusal of a call whose `maxlag` is exceeded."""
    headers = {"Retry-After": str(max(maxlag, 5)), "X-Database-Lag": str(int(lag))}
    data = {"host": "wdqs1013", "lag": lag, "type": "wikibase-queryservice"}
    return ApiError("maxlag", f"Waiting for wdqs1013: {lag} seconds lagged.", status, headers, **data)


def _parsed(text: str) -> str:
    """The id in its usual spelling."""
    match = _ID.fullmatch(text)
    if match is None or (match[2] and int(match[2]) > 2**31 - 1):
        raise ApiError("no-such-entity", f'Could not find an entity with the ID "{text}".', id=text)
    return text.upper()


def _page(entity: Entity) -> Entity:
    """Where the entity is stored; made up where the entity does not say."""
    number = int(re.sub(r"\D.*", "", entity["id"][1:]))
    space = {"property": (120, "Property:"), "lexeme": (146, "Lexeme:")}.get(entity["type"], (0, ""))
    made_up = {
        "pageid": number + 100,
        "ns": space[0],
        "title": space[1] + entity["id"],
        "lastrevid": 2_000_000_000 + number,
        "modified": "2026-01-02T03:04:05Z",
    }
    return made_up | {name: entity[name] for name in _PAGE if name in entity}


def _with_fallback(terms: Entity, name: str, languages: list[str], call: _Call) -> Entity:
    """The terms and, with `languagefallback`, what stands in for missing ones: `mul`, then English."""
    if "languagefallback" not in call.params or name == "aliases":
        return terms
    stand_in = terms.get("mul") or terms.get("en")
    missing = [code for code in languages if code not in terms] if stand_in else []
    return terms | {code: {**stand_in, "for-language": code} for code in missing}


def _error(error: ApiError, call: _Call) -> Entity:
    documentation = {"docref" if call.modern else "*": DOCUMENTATION}
    form = call.params.get("errorformat", "bc")
    if form not in ("plaintext", "wikitext", "html", "raw", "none"):
        data = {**error.data, **_messages(error, call)}
        return {"error": {"code": error.code, "info": error.info, **data, **documentation}}
    entry = {"code": error.code, **_text(error.info, form, call)}
    if error.data:
        entry["data"] = error.data
    return {"errors": [{**entry, "module": "main"}], **documentation}


def _messages(error: ApiError, call: _Call) -> Entity:
    """Wikibase's own list of messages beside MediaWiki's."""
    if error.code != "no-such-entity":
        return {}
    html = error.info if call.modern else {"*": error.info}
    message = {"name": f"wikibase-api-{error.code}", "parameters": [error.data["id"]], "html": html}
    return {"messages": [message]}


def _text(text: str, form: str, call: _Call) -> Entity:
    if form == "none":
        return {}
    if form == "raw":
        return {"key": "apierror", "params": [text]}
    return {("html" if form == "html" else "text") if call.modern else "*": text}


def _warnings(call: _Call) -> Entity | list[Entity]:
    form = call.params.get("errorformat", "bc")
    if form == "bc":
        of_module: dict[str, list[str]] = {}
        for module, _, text in call.warnings:
            of_module.setdefault(module, []).append(text)
        key = "warnings" if call.modern else "*"
        return {module: {key: "\n".join(texts)} for module, texts in of_module.items()}
    return [
        {"code": code, **_text(text, form, call), "module": module} for module, code, text in call.warnings
    ]


def term_languages() -> dict[str, str | None]:
    """Codes in use for labels, with English names, from the project's own table."""
    with LANGUAGES.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    return {row["code"]: row["name"] for row in rows if not row["replaced_by"]}


def small_entities() -> dict[str, Entity]:
    """The hand-made set: states, capitals, redirects, a property, lexemes, and the odd cases."""
    return {_key(entity): entity for entity in json.loads(SMALL.read_text(encoding="utf-8"))}


def entities_from_dump(path: Path) -> dict[str, Entity]:
    """All entities of a dump: `[`, one entity a line with a comma, `]`; plain, `.gz` or `.bz2`."""
    return {_key(entity): entity for entity in _lines_of_dump(path)}


def _lines_of_dump(path: Path) -> Iterator[Entity]:
    opener = {".gz": gzip.open, ".bz2": bz2.open}.get(path.suffix, open)
    with opener(path, "rt", encoding="utf-8") as file:
        for line in file:
            text = line.strip().removesuffix(",")
            if text not in ("", "[", "]"):
                yield json.loads(text)


def _key(entity: Entity) -> str:
    return entity["entity"] if "redirect" in entity else entity["id"]
