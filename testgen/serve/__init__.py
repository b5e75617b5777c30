"""The service: test sets over HTTP, as an API and as web pages; it needs the extra `serve`.

The operator chooses the source; clients choose among queries and languages, and never send SPARQL or paths.
How test sets are made is not here (see `generation`).
"""
