# Everything runs in .venv, made on first use with the first Python of 3.11 or later that is found.

VENV := .venv
BIN := $(VENV)/bin
ENGINES ?= $(or $(TESTGEN_ENGINES),$(HOME)/.cache/testgen-engines)
PYTHON ?= $(shell for p in python3 python3.15 python3.14 python3.13 python3.12 python3.11 python; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)

# Without compiled files, each worker would compile all tests anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test test-slow test-lowest fuzz mutants engines style check bench docs site site-data snapshot tables reference screenshots lock wheel release clean

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

test-lowest:  ## run the test suite with the lowest versions that pyproject.toml allows, in an environment of its own
	$(MAKE) VENV=$(VENV)-lowest $(VENV)-lowest/.lowest
	$(VENV)-lowest/bin/python -m pytest --numprocesses auto --dist loadfile --no-loadscope-reorder

fuzz: $(VENV)/.dev  ## give every reader many changed files; FUZZ_RUNS=100 for fewer
	FUZZ_RUNS=$(or $(FUZZ_RUNS),1000) $(BIN)/python -m pytest tests/fuzz

mutants: $(VENV)/.dev  ## change the code that matters a little, and count the changes that tests notice; MUTANTS='words --number 10', CHANGED=1 for this branch
	$(BIN)/python -m pip install --quiet 'cosmic-ray>=8.4'
	$(BIN)/python -m tools.mutants $(if $(CHANGED),--changed) $(MUTANTS)

engines:  ## fetch SPARQL engines for the tests that take long: Blazegraph, which Wikidata runs, and Fuseki
	@command -v mvn >/dev/null || { echo "Maven is needed (Debian: apt-get install maven)" >&2; exit 2; }
	for each in com.blazegraph:blazegraph-jar:2.1.5 org.apache.jena:jena-fuseki-server:5.1.0; do \
		mvn --quiet --batch-mode dependency:copy -Dartifact=$$each -DoutputDirectory=$(ENGINES) || exit 1; done

style: $(VENV)/.dev  ## style, types, layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

check: style test  ## style, types, layers, tests

docs: $(VENV)/.dev  ## rebuild the pages and schemas that are generated from the code
	$(BIN)/python tools/documents.py

site: $(VENV)/.dev  ## make the web site of the documents in build/site; a link that leads nowhere is an error
	$(BIN)/python -m pip install --quiet --editable '.[site]'
	NO_MKDOCS_2_WARNING=1 PYTHONPATH=. $(BIN)/mkdocs build
	$(BIN)/python -m pytest --quiet tests/end_to_end/test_site.py

site-data: $(VENV)/.dev  ## write the pages and test sets of the service as files in build/site-data, for any web server
	$(BIN)/testgen site build/site-data

snapshot: $(VENV)/.dev  ## rebuild the shipped snapshot from Unicode CLDR, and its answers to the shipped queries
	$(BIN)/python tools/build_snapshot.py
	$(BIN)/python -m tools.build_answers

tables: $(VENV)/.dev  ## rebuild the tables of languages; CODES=FILE with Wikidata's list of codes adds new ones
	$(BIN)/python tools/build_iso_codes.py
	$(BIN)/python tools/build_languages.py $(CODES)

reference: $(VENV)/.dev  ## score published vectors of all languages, hundreds of gigabytes; make reference ONLY="la te" for some
	$(BIN)/python -m tools.reference $(ONLY)

screenshots: $(VENV)/.dev  ## take the pictures of the pages; needs Chromium; PAGES='--page report=report.html' for others
	$(BIN)/python tools/screenshots.py $(PAGES)

# The load of one program is over when the next starts, which would not be recorded on a busy machine.
bench: $(VENV)/.dev  ## measure speed beside named peers, a quarter of an hour; make bench FULL=--full for all sizes, an hour and a half
	$(BIN)/python -m pip install --quiet --editable '.[bench]'
	for each in scoring analogies translation loading programs cluster batch many_languages engines live; do \
		$(BIN)/python benchmarks/$$each.py $(FULL) --output benchmarks/results || exit 1; sleep 30; done
	$(if $(FULL),$(BIN)/python benchmarks/scoring.py --kernels Haswell --rounds 1 --output benchmarks/results)

lock: $(VENV)/.dev  ## write the versions of all libraries that developers have now into requirements-dev.lock
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip compile --quiet --universal --all-extras --python-version 3.11 --generate-hashes --upgrade \
		--no-emit-index-url --no-header pyproject.toml --output-file requirements-dev.lock

wheel: $(VENV)/.dev  ## build the wheel, and run both programs from it in a clean environment
	rm -rf build/dist build/clean
	$(BIN)/python -m build --outdir build/dist
	$(PYTHON) -m venv build/clean
	build/clean/bin/python -m pip install --quiet build/dist/*.whl
	cd build && clean/bin/testgen generate --language la --output testsets && clean/bin/evaluator measures

release: $(VENV)/.dev  ## check version, changelog, citation and tag, and build the files to publish in dist/, print sizes beside those of the last release
	$(BIN)/python -m pip install --quiet twine
	rm -rf dist
	$(BIN)/python -m tools.release

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

$(VENV)/.lowest: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip install --quiet --python $(BIN)/python --resolution lowest-direct \
		--editable '.[dev,cluster,figures,learn,lemmas,models,publish,report,serve,tune]'
	touch $@
