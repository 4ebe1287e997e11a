# Everything a person or a machine runs here. `make demo` and `make test` need Python 3.11 or newer and nothing else.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
LEDGER ?= demo.duckdb
ROOMS ?=
WILD ?=
MORE ?=
LAKE ?=
BENCH ?=
AGENTS ?=
LAB ?=
EACH ?= 20
SEED ?= 1
PYTHONS ?= 3.11 3.12 3.13 3.14
DUCKDBS ?= 1.5.5 2.0.0
TAG ?=
PARALLEL := -n 2 --dist worksteal
# A test that grows may take longer than the limit of the others.
PATIENT := -o faulthandler_timeout=1800
QUICK := $(PARALLEL) --hypothesis-profile=quick -m "not slow and not soak"

# Python is started some thousand times by the tests: what it compiles the first time is kept, also where an environment says no.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo quick test most-tests long soak lake matrix slow check format dashboard notebooks docs bench bench-dashboard wild fuzz mutants lab lab-drift data lock release clean

demo: $(VENV)/.run  ## take the sample sessions in, run what is safe, print how far they got
	$(BIN)/actionledger demo --ledger $(LEDGER)

dashboard: $(VENV)/.run  ## open the dashboard on the demo's ledger
	$(BIN)/actionledger dashboard --demo $(LEDGER)

quick: $(VENV)/.dev  ## the tests that take next to no time, of every room: for each change, about a minute
	$(BIN)/pytest $(QUICK)

test: $(VENV)/.dev  ## every check, and every test but those of `make long` and `make soak`: before each commit
	$(MAKE) --jobs 2 check most-tests

# Beside the checks, of which the longest keeps one processor busy.
most-tests: $(VENV)/.dev
	$(BIN)/pytest $(PARALLEL) -m "not soak and not long"

long: $(VENV)/.dev  ## whole programs, pages and browsers, that take a fifth of a second or more each: before what was changed goes to others (MORE="-x")
	$(BIN)/pytest $(PARALLEL) -m "not soak and long" $(MORE)

soak: $(VENV)/.dev  ## what grows, what reads whole corpora, and properties with ten times the examples (MORE="-x")
	$(BIN)/pytest $(PARALLEL) $(PATIENT) --hypothesis-profile=soak -m "soak or scaled or hypothesis" $(MORE)

lake: $(VENV)/.lake  ## ledgers in a lake, on DuckDB 1.5.5 with its extensions, PostgreSQL and S3 among them (LAKE="-m 'not soak'")
	$(VENV)/lake/bin/pytest -n 0 $(PATIENT) -m "" tests/ledger/stores $(LAKE)

matrix:  ## `make quick` on each Python that is here, with the oldest and the newest DuckDB (PYTHONS="3.13" DUCKDBS="2.0.0")
	bash tests/matrix.sh "$(PYTHONS)" "$(DUCKDBS)" $(QUICK)

slow: $(VENV)/.dev  ## measure anew which tests `make quick` and `make test` leave out
	$(BIN)/pytest $(PARALLEL) --list-slow

check: $(VENV)/.dev  ## style, spelling, types, layers, names of classes, subjects of commits
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/codespell
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tests/checks/class_names.py
	$(BIN)/python tests/checks/subjects.py

format: $(VENV)/.dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

notebooks: $(VENV)/.dev  ## run the notebooks anew, outputs included
	$(BIN)/python notebooks/run.py

docs: $(VENV)/.dev  ## build the documentation site in build/site/site; a link that leads nowhere is an error
	$(BIN)/python docs/data_model.py
	$(BIN)/python docs/build_site.py build/site

bench: $(VENV)/.dev  ## how fast it reads, each figure beside a known one of the same run, and everyday commands (BENCH="--against PATH")
	$(BIN)/python tests/benchmarks/reading.py
	$(BIN)/python tests/benchmarks/masking.py
	$(BIN)/python tests/benchmarks/everyday.py $(BENCH)

bench-dashboard: $(VENV)/.dev  ## how long the dashboard's pages take in a real browser, beside a bare Streamlit page (BENCH="--turns 500000")
	$(BIN)/python tests/benchmarks/dashboard.py $(BENCH)

wild: $(VENV)/.dev  ## how the styles that models write are read: read, right, invented (WILD="--part held-out --by family"); calls that are quoted, cut or thought of: -m wild.hazards
	PYTHONPATH=tests/support $(BIN)/python -m wild $(WILD)

fuzz: $(VENV)/.dev  ## read broken texts for a minute; a text that breaks a promise is printed
	$(BIN)/python tests/fuzz/fuzz_reading.py

mutants: $(VENV)/.mutants  ## change the code in small ways, and list the changes that no test notices (ROOMS="reading ledger" EACH=50 SEED=2)
	$(BIN)/python tests/mutants/run.py $(ROOMS) --each $(EACH) --seed $(SEED)

lab: $(VENV)/.dev  ## run real agents and frameworks against a scripted model server, and hold what was recorded against what it sent (AGENTS="codex claude_code" LAB="--page docs/agents.md")
	PYTHONPATH=tests $(BIN)/python -m lab $(AGENTS) $(LAB)

lab-drift: $(VENV)/.dev  ## the same with the newest versions, and what changed in fields, kinds of line and wordings since the pinned ones
	PYTHONPATH=tests $(BIN)/python -m lab --drift $(AGENTS) $(LAB)

data: $(VENV)/.dev  ## write the sample sessions anew
	$(BIN)/python data/generate.py

lock: $(VENV)/.dev  ## write uv.lock anew: the versions that CI tests with
	$(BIN)/uv lock --no-config

release: $(VENV)/.dev  ## build the source distribution and the wheel in dist/, and check both (TAG=v1.2.3: that it is this version's, too)
	rm -rf dist
	$(BIN)/python -m build
	$(BIN)/twine check --strict dist/*
	$(BIN)/check-wheel-contents dist/*.whl
	$(BIN)/python tests/checks/release.py --tag "$(TAG)"

clean:
	rm -rf $(VENV) build dist demo.duckdb demo.duckdb.d .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "actionledger needs Python 3.11 or newer")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.run: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dashboard]'
	touch $@

$(VENV)/.dev: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@ $(VENV)/.run

$(VENV)/.lake: pyproject.toml | $(VENV)/bin/python
	$(PYTHON) -m venv $(VENV)/lake
	$(VENV)/lake/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,lake-test]'
	-$(VENV)/lake/bin/python tests/support/lake_servers.py --install </dev/null
	touch $@

$(VENV)/.mutants: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[mutants]'
	touch $@ $(VENV)/.dev $(VENV)/.run
