"""The service: test sets over HTTP, as an API and as web pages; clients never send SPARQL or paths."""
