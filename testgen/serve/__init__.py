"""The service: the same test sets over HTTP, as an API and as pages.

Needs the extra `serve` (FastAPI, uvicorn, Jinja2). The operator decides which source is asked; requests
choose among queries and languages, and never carry SPARQL or paths.
"""
