# What maintainers run: releases, the site, data that ships, measurements. The Makefile includes it, so that `make release`
# in the folder of the repository runs a target of this file.

ENGINES ?= $(or $(TESTGEN_ENGINES),$(HOME)/.cache/testgen-engines)
MIKE := NO_MKDOCS_2_WARNING=1 PYTHONPATH=. PATH="$(CURDIR)/$(BIN):$$PATH" mike
MINOR = $(shell sed -n 's/^version = "\([0-9]*\.[0-9]*\).*/\1/p' pyproject.toml)

.PHONY: test-lowest fuzz worlds mutants engines site site-data site-version snapshot tables reference papers validity screenshots bench wheel sbom release

test-lowest:  ## run the test suite with the lowest versions that pyproject.toml allows, in an environment of its own
	$(MAKE) VENV=$(VENV)-lowest $(VENV)-lowest/.lowest
	$(VENV)-lowest/bin/python -m pytest --numprocesses auto --dist loadfile --no-loadscope-reorder

fuzz: $(VENV)/.dev  ## give every reader many changed files; FUZZ_RUNS=100 for fewer
	FUZZ_RUNS=$(or $(FUZZ_RUNS),1000) $(BIN)/python -m pytest tests/fuzz

worlds: $(VENV)/.dev  ## score random small worlds by every route, and compare; make worlds WORLDS=100 SEED=7 for others
	nice $(BIN)/python -m tests.worlds --worlds $(or $(WORLDS),10000) --seed $(or $(SEED),0) --processes 2

mutants: $(VENV)/.dev  ## change the code that matters a little, and count the changes that tests notice; MUTANTS='words --number 10', CHANGED=1 for this branch
	$(BIN)/python -m pip install --quiet 'cosmic-ray>=8.4'
	$(BIN)/python -m tools.mutants $(if $(CHANGED),--changed) $(MUTANTS)

engines:  ## fetch SPARQL engines for the tests that take long: Blazegraph, which Wikidata runs, and Fuseki
	@command -v mvn >/dev/null || { echo "Maven is needed (Debian: apt-get install maven)" >&2; exit 2; }
	for each in com.blazegraph:blazegraph-jar:2.1.5 org.apache.jena:jena-fuseki-server:5.1.0; do \
		mvn --quiet --batch-mode dependency:copy -Dartifact=$$each -DoutputDirectory=$(ENGINES) || exit 1; done

site: $(VENV)/.site  ## make the web site of the documents in build/site; a link that leads nowhere is an error
	NO_MKDOCS_2_WARNING=1 PYTHONPATH=. $(BIN)/mkdocs build
	$(BIN)/python -m pytest --quiet -m '' tests/end_to_end/test_site.py

site-data: $(VENV)/.dev  ## write the pages and test sets of the service as files in build/site-data, for any web server
	$(BIN)/testgen site build/site-data

# The branch gh-pages keeps the sites of all versions, so that none is built again.
site-version: $(VENV)/.site  ## commit the site to the branch gh-pages as `dev`; RELEASE=1 as that of this version, such as 0.4
	$(MIKE) deploy --update-aliases $(if $(RELEASE),$(MINOR) latest,dev)
	$(MIKE) set-default latest || $(MIKE) set-default dev

snapshot: $(VENV)/.dev  ## rebuild the shipped snapshot from Unicode CLDR, and its answers to the shipped queries
	$(BIN)/python tools/build_snapshot.py
	$(BIN)/python -m tools.build_answers

tables: $(VENV)/.dev  ## rebuild the tables of languages; CODES=FILE with Wikidata's list of codes adds new ones
	$(BIN)/python -m tools.build_languages $(CODES)
	$(BIN)/python -m tools.build_iso_codes
	$(BIN)/python -m tools.build_language_names
	$(BIN)/python tools/build_alphabets.py
	$(BIN)/python tools/build_differences.py
	$(BIN)/python -m tools.build_published

reference: $(VENV)/.dev  ## score published vectors of all languages, hundreds of gigabytes; make reference ONLY="la te" for some
	$(BIN)/python -m tools.reference $(ONLY)

papers: $(VENV)/.dev  ## figures 4 to 6 and Table 1 of the main paper: CORPORA=DIR, TRIALS=10; figure 3: EMOJI=DIR WORDS=FILE, TEXTS=FILE; STEP=table1 for one step
	nice $(BIN)/python -m tools.papers $(if $(CORPORA),--corpora $(CORPORA)) $(if $(EMOJI),--emoji $(EMOJI)) \
		$(if $(WORDS),--words $(WORDS)) $(if $(TEXTS),--texts $(TEXTS)) $(if $(TRIALS),--trials $(TRIALS)) \
		$(if $(STEP),--step $(STEP))

validity: $(VENV)/.dev  ## ask which measure chooses between trained models; DATA=DIR with corpora and benchmarks, STUDY='--texts en-0 --models 9' for less
	@test -n "$(DATA)" || { echo "name the folder with the corpora and the benchmarks: make validity DATA=DIR" >&2; exit 2; }
	$(BIN)/testgen generate --language en --language de --language fr --language sa --output build/validity/tests
	nice $(BIN)/python -m tools.choosing build/validity --data $(DATA) --tests build/validity/tests $(STUDY)

screenshots: $(VENV)/.dev  ## take the pictures of the pages; needs Chromium; PAGES='--page report=report.html' for others
	$(BIN)/python tools/screenshots.py $(PAGES)

# The load of one program is over when the next starts, which would not be recorded on a busy machine.
bench: $(VENV)/.dev  ## measure speed beside named peers, a quarter of an hour; make bench FULL=--full for all sizes, an hour and a half
	$(BIN)/python -m pip install --quiet --editable '.[bench]'
	for each in scoring analogies translation loading average programs cluster batch many_languages engines live; do \
		$(BIN)/python benchmarks/$$each.py $(FULL) --output benchmarks/results || exit 1; sleep 30; done
	$(if $(FULL),for each in --related --spelling --without-avx512; do \
		$(BIN)/python benchmarks/scoring.py $$each --output benchmarks/results || exit 1; sleep 30; done)

wheel: $(VENV)/.dev  ## build the wheel, and run both programs from it in a clean environment
	rm -rf build/dist build/clean
	$(BIN)/python -m build --outdir build/dist
	$(PYTHON) -m venv build/clean
	build/clean/bin/python -m pip install --quiet build/dist/*.whl
	cd build && clean/bin/testgen generate --language la --output testsets && clean/bin/evaluator measures

sbom: wheel  ## list the libraries that the wheel brought into that environment, as CycloneDX, in build/sbom.cdx.json
	$(BIN)/python -m pip install --quiet 'cyclonedx-bom>=7'
	build/clean/bin/python -m pip uninstall --quiet --yes pip setuptools
	$(BIN)/cyclonedx-py environment --pyproject pyproject.toml --output-reproducible --output-file build/sbom.cdx.json build/clean/bin/python

release: $(VENV)/.dev  ## check version, changelog, citation and tag, build the files to publish in dist/, print sizes beside those of the last release
	$(BIN)/python -m pip install --quiet twine
	rm -rf dist
	$(BIN)/python -m tools.release

$(VENV)/.site: pyproject.toml | $(VENV)/.dev
	$(BIN)/python -m pip install --quiet --editable '.[site]'
	touch $@

$(VENV)/.lowest: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip install --quiet --python $(BIN)/python --resolution lowest-direct \
		--editable '.[dev,cluster,figures,learn,lemmas,models,publish,report,serve,tune]'
	touch $@
