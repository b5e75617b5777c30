"""Wikibase's `wbgetentities` as testgen asks it, with its refusals and oddities.

What is imitated, and where it is written down (Wikibase = mediawiki-extensions-Wikibase):

- Answers are keyed by the id that was asked for; a redirect's entity has the target's `id` and
  `"redirects": {"from": …, "to": …}`. A redirect to a redirect is missing.
  (Wikibase repo/includes/Api/GetEntities.php, ResultBuilder.php, and the assertions of
  repo/tests/phpunit/includes/Api/GetEntitiesRedirectTest.php.)
- A missing entity is `{"id": "Q…", "missing": ""}`, with formatversion 2 as well: Wikibase sets the empty
  string itself, not a boolean that the format would turn into `true`. (ResultBuilder::addMissingEntity.)
- The first malformed id fails the whole request with `no-such-entity` and is named in `error.id`. Ids are
  `[QPL]`, a number without leading zeros that fits 32 bits. (GetEntities::getEntityIdsFromIdParam; ItemId,
  LexemeId and Int32EntityId.)
- API errors have HTTP status 200 and the header `MediaWiki-API-Error`.
- Over 50 values: `toomanyvalues` with parameter, limit, lowlimit, highlimit, counted before duplicates are
  dropped. (MediaWiki includes/libs/ParamValidator/ParamValidator.php.)
- An answer too large is cut between entities, with a warning and no error: `$wgAPIMaxResultSize`.
"""

from __future__ import annotations

import csv
import gzip
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.servers.base import AnsweringServer, Request, Response

Entity = dict[str, Any]

SMALL = Path(__file__).parent / "entities_small.json"
LANGUAGES = Path(__file__).parents[2] / "testgen" / "languages" / "languages.tsv"
NO_USER_AGENT = (
    "Please set a user-agent and respect our robot policy https://w.wiki/4wJS. "
    "See also https://phabricator.wikimedia.org/T400119.\n"
)
DOCUMENTATION = "See https://www.wikidata.org/w/api.php for API usage."
LIMIT = 50

_ID = re.compile(r"[QPL]([1-9][0-9]{0,9})")
_LEFT_OUT = ("labels", "descriptions", "aliases", "claims", "sitelinks")


class ApiError(Exception):
    """What the API refuses with."""

    def __init__(self, code: str, info: str, **data: object):
        super().__init__(info)
        self.code = code
        self.error = {"code": code, "info": info, **data, "docref": DOCUMENTATION}


class EntityServer(AnsweringServer):
    """Answers like Wikidata's `/w/api.php`, from a mapping of ids to entities in the shape of the dumps.

    A redirect is an entity of the shape `{"entity": "Q1", "redirect": "Q2"}`. The attributes can be changed
    while the server runs.

    Attributes:
        empty_maps_as_lists: Whether empty labels and aliases come as `[]`, as PHP writes them.
        require_contact: Whether a User-Agent needs an address (`@` or `http`) in it, or gets a 403.
        max_result_size: Bytes of entities after which the rest is left out of an answer, with a warning.
        namespace: What the IRIs of the entities begin with, which `meta=siteinfo` tells.
    """

    path = "/w/api.php"

    def __init__(self, entities: Mapping[str, Entity]):
        super().__init__()
        self.entities = entities
        self.empty_maps_as_lists = False
        self.require_contact = False
        self.max_result_size: int | None = None
        self.namespace = "http://www.wikidata.org/entity/"

    def respond(self, request: Request) -> Response:
        if request.path != self.path:
            return Response.text(404, "File not found.\n")
        agent = request.headers.get("user-agent", "")
        if not agent or (self.require_contact and not re.search("@|http", agent)):
            return Response.text(403, NO_USER_AGENT)
        headers = {"Content-Type": "application/json; charset=utf-8"}
        try:
            asks_for_site = request.params.get("meta") == "siteinfo"
            answer = self._site() if asks_for_site else self._get_entities(request.params)
        except ApiError as error:
            answer = {"error": error.error}
            headers["MediaWiki-API-Error"] = error.code
        text = json.dumps(answer, ensure_ascii=False, separators=(",", ":"))
        return Response(200, text.encode(), headers)

    def _site(self) -> Entity:
        # Wikibase repo/includes/RepoHooks.php: onAPIQuerySiteInfoGeneralInfo.
        general = {"generator": "MediaWiki 1.43.0", "wikibase-conceptbaseuri": self.namespace}
        return {"batchcomplete": True, "query": {"general": general}}

    def _get_entities(self, params: Mapping[str, str]) -> Entity:
        ids, props = params.get("ids", "").split("|"), params.get("props", "labels").split("|")
        if len(ids) > LIMIT:
            limits = {"parameter": "ids", "limit": LIMIT, "lowlimit": LIMIT, "highlimit": 10 * LIMIT}
            info = f'Too many values supplied for parameter "ids". The limit is {LIMIT}.'
            raise ApiError("toomanyvalues", info, **limits)
        for key in ids:
            match = _ID.fullmatch(key)
            if match is None or int(match[1]) > 2**31 - 1:
                raise ApiError("no-such-entity", f'Could not find an entity with the ID "{key}".', id=key)
        return self._cut({key: self._record(key, props) for key in ids})

    def _record(self, key: str, props: list[str]) -> Entity:
        """An entity, at most one redirect further."""
        entity = self.entities.get(key, {"redirect": None})
        if "redirect" in entity:
            entity = self.entities.get(entity["redirect"], entity)
        if "redirect" in entity:
            return {"id": key, "missing": ""}
        record = {name: value for name, value in entity.items() if name not in _LEFT_OUT}
        if entity["id"] != key:
            record["redirects"] = {"from": key, "to": entity["id"]}
        empty: list[str] | Entity = [] if self.empty_maps_as_lists else {}
        return record | {name: entity[name] or empty for name in props if name in entity}

    def _cut(self, found: dict[str, Entity]) -> Entity:
        """What fits in an answer."""
        if self.max_result_size is None:
            return {"entities": found, "success": 1}
        room, fitting = self.max_result_size, {}
        for key, record in found.items():
            size = len(json.dumps(record, ensure_ascii=False).encode())
            if size <= room:
                room -= size
                fitting[key] = record
        answer: Entity = {"entities": fitting, "success": 1} if fitting else {"success": 1}
        if len(fitting) < len(found):
            text = (
                "This result was truncated because it would otherwise be larger than the limit of "
                f"{self.max_result_size:,} bytes."
            )
            answer["warnings"] = {"result": {"warnings": text}}
        return answer


def term_languages() -> list[str]:
    """Codes in use for labels, from the project's own table."""
    with LANGUAGES.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    return [row["code"] for row in rows if not row["replaced_by"]]


def small_entities() -> dict[str, Entity]:
    """The hand-made set: states, capitals, redirects, a property, lexemes, and the odd cases."""
    return {_key(entity): entity for entity in json.loads(SMALL.read_text(encoding="utf-8"))}


def entities_from_dump(path: Path) -> dict[str, Entity]:
    """All entities of a gzipped dump: `[`, one entity a line with a comma, `]`."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        lines = [line.strip().removesuffix(",") for line in file]
    return {_key(entity): entity for entity in map(json.loads, lines[1:-1])}


def _key(entity: Entity) -> str:
    return entity["entity"] if "redirect" in entity else entity["id"]
