"""The service: the same test sets over HTTP, as an API and as pages.

Needs the extra `serve` (FastAPI, uvicorn, Jinja2). Nothing but a source's operator decides what is asked of whom:
requests choose among queries and languages, and never carry SPARQL or paths.
"""
