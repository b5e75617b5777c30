# What users and contributors run; tools/maintain.mk has what maintainers run.
# Everything runs in .venv, made on first use with the first Python of 3.11 or later that is found.

VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= $(shell for p in python3 python3.15 python3.14 python3.13 python3.12 python3.11 python; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)

# Without compiled files, each worker would compile all tests anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test test-slow style check docs clean

demo: $(VENV)/.base  ## generate every test set, train on a real corpus, score
	rm -rf demo
	$(BIN)/testgen generate --all-languages --output demo/testsets
	$(BIN)/python tools/train_demo.py demo/en.vec
	$(BIN)/evaluator score demo/en.vec --test demo/testsets/en.json

# In alphabetical order, the slowest test files start first. Without the last option, xdist would start them last.
test: $(VENV)/.dev  ## run the test suite, on all cores; CHANGED=1 for the tests of what differs from the branch main
	$(BIN)/python $(if $(CHANGED),-m tools.changed_tests,-m pytest) --numprocesses auto --dist loadfile --no-loadscope-reorder

test-slow: $(VENV)/.dev  ## run the tests that take long, and properties with more examples
	$(BIN)/python -m pytest -m 'slow or hypothesis' --hypothesis-profile thorough --numprocesses auto --dist loadfile --no-loadscope-reorder

style: $(VENV)/.dev  ## style, types, layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

check: style test  ## style, types, layers, tests

docs: $(VENV)/.dev  ## rebuild the pages and schemas that are generated from the code
	$(BIN)/python tools/documents.py

clean:
	rm -rf $(VENV) $(VENV)-lowest demo build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis

$(VENV)/bin/python:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or later is needed; set PYTHON=/path/to/python3" >&2; exit 2; }
	$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); exit 1; }

$(VENV)/.base: pyproject.toml | $(VENV)/bin/python
	@echo 'Installing libraries in $(VENV), which takes a minute or more'
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

$(VENV)/.dev: pyproject.toml | $(VENV)/bin/python
	@echo 'Installing libraries in $(VENV), which takes minutes'
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $@ $(VENV)/.base

include $(dir $(lastword $(MAKEFILE_LIST)))tools/maintain.mk
