"""Which items have an article in the Wikipedia of a language: fame in that language, not in Europe's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from string import Template

from testgen.errors import QueryError
from testgen.queries import Query
from testgen.sources.asking import Failures, answers_of
from testgen.sources.base import Source

# The name of an article has the language of its Wikipedia. IRIs are written in full, since a query may use
# the usual prefixes for something else.
_ARTICLES = Template("""\
${prologue}SELECT DISTINCT $item ?word WHERE {
  { SELECT DISTINCT ?$variable WHERE { { $select } } }
  ?article <http://schema.org/about> ?$variable ;
           <http://schema.org/isPartOf> ?site ;
           <http://schema.org/name> ?word .
  ?site <http://wikiba.se/ontology#wikiGroup> "wikipedia" .
}
ORDER BY ?item ?word
""")


def article_queries(query: Query) -> list[Query]:
    """The queries for the names of the articles about the items of a query, one for each of its variables."""
    if query.worded:
        return []
    asked = []
    for variable in query.variables:
        item = "?item" if variable == "item" else f"(?{variable} AS ?item)"
        name, values = f"{query.name} (articles about ?{variable})", {"item": item, "variable": variable}
        asked.append(query.nested_in(_ARTICLES, values, name=name, kind="category", worded={"item": "word"}))
    return asked


def languages_with_articles(
    source: Source, queries: Iterable[Query]
) -> tuple[Mapping[str, frozenset[str]], Failures]:
    """The codes of the languages in whose Wikipedia each item has an article; and the errors."""
    asked = [each for query in queries for each in article_queries(query)]
    answers, failed = answers_of(source, asked)
    found: dict[str, frozenset[str]] = {}
    for answer in answers.values():
        for item, names in answer.names.items():
            found[item] = found.get(item, frozenset()).union(names.labels)
    if asked and not found and not failed:
        raise QueryError(
            f"{source.provenance.name} does not say which items have an article in a Wikipedia: ask Wikidata "
            "(--source wikidata), or leave --known-in-its-wikipedia out"
        )
    return found, failed
