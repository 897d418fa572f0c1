# make test        lint, types and tests in an environment of their own (.venv)
# make reproduce   the GPT-2 Medium tables, ours beside the published ones
# make lint        formatting, lint, types and layers only
# make quick       tests without torch, compilers, simulators and slow ones, in a minute
# make test-nightly   what takes minutes each: real blocks as C++, whole generations, all banks, a new user's path
# make docs        the documentation as a site, in build/site; every link is checked
# make bench       speed of the compiler and the engines
# make fuzz        a fuzz target per reader; FUZZ='graph text --executions 100000' says which and how much
# make coverage    branches of sim, package, importers and core that their own tests reach; less than 95 % of a room fails
# make mutants     how many small faults of the engine and of the deadlock search the tests notice
# make lock, make sbom   the exact packages of a release with their hashes, and as a bill of materials (CycloneDX)
#
# PYTHON=python3.12            another interpreter (3.11 or later)
# LOCKED=1                     install exactly the packages of locks/, each checked by its hash
# PREPARE=                     compile no designs in advance, which make the first `sttest compile` of a model quick
# TORCH_INDEX=URL              where torch comes from, as in https://download.pytorch.org/whl/cpu
# PIP_INSTALL_ARGS='...'       further arguments of every pip install

PYTHON ?= python3
VENV ?= .venv
TORCH ?= torch==2.13.0
TORCH_INDEX ?=
PIP_INSTALL_ARGS ?=
LOCKED ?=
PREPARE ?= 1
TORCH_BUILD ?= $(if $(TORCH_INDEX),cpu,cuda)
FUZZ ?= --executions 1000
MUTANTS ?= --minutes 30

BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
SYSTEM_TOOLS := g++ clang verilator iverilog
# Tests have words that are misspelled on purpose, and are asked for American ones alone.
SPELLED := sttest experiments extensions benchmarks examples docs README.md CONTRIBUTING.md CHANGELOG.md SECURITY.md
COVERED := sim package importers core
BROWSERS := chromium chromium-browser google-chrome
PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check $(PIP_INSTALL_ARGS)

LOCK := locks/requirements.txt
TORCH_LOCK := locks/torch-$(TORCH_BUILD).txt
FROM_INDEX := $(if $(TORCH_INDEX),--index-url $(TORCH_INDEX))
define INSTALL_NEWEST
echo "== installing $(TORCH)" \
&& $(PIP_INSTALL) $(FROM_INDEX) '$(TORCH)' \
&& echo "== installing sttest with its front end, development tools and studies of systems" \
&& $(PIP_INSTALL) --editable '.[frontend,rtl,dev]' --editable extensions/systems
endef
# Nothing is resolved and nothing is built of what a lock does not name: not even setuptools, which builds sttest.
define INSTALL_LOCKED
echo "== installing $(TORCH_LOCK)" \
&& $(PIP_INSTALL) --no-deps --require-hashes $(FROM_INDEX) -r $(TORCH_LOCK) \
&& echo "== installing $(LOCK)" \
&& $(PIP_INSTALL) --no-deps --require-hashes -r $(LOCK) \
&& $(PIP_INSTALL) --no-deps --no-build-isolation --editable . --editable extensions/systems \
&& $(BIN)/python -m pip check
endef

.DEFAULT_GOAL := help
.PHONY: help install system-tools browser lint test pytest quick test-nightly fuzz mutants coverage size lock sbom bench docs \
  reproduce clean

help:
	@sed -n -e '/^#/!q' -e 's/^# \{0,1\}//p' Makefile

install: $(INSTALLED)

# torch goes first and by exact version: a plain `torch` pulls gigabytes of CUDA.
$(INSTALLED): pyproject.toml extensions/systems/pyproject.toml $(if $(LOCKED),$(LOCK) $(TORCH_LOCK))
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	  || { echo "error: $(PYTHON) is missing or older than 3.11; name a newer one, as in make PYTHON=python3.12" >&2; exit 2; }
	@echo "== environment in $(VENV), from $$($(PYTHON) --version)"
	@$(PYTHON) -m venv $(VENV)
	@$(if $(LOCKED),$(INSTALL_LOCKED),$(INSTALL_NEWEST))
	@$(BIN)/python -m compileall -q sttest extensions
	@$(if $(PREPARE),$(BIN)/python -P -m sttest.studies.prepare)
	@touch $@

lint: $(INSTALLED)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/pyright --pythonpath $(BIN)/python
	$(BIN)/lint-imports
	$(BIN)/codespell $(SPELLED)
	$(BIN)/codespell --builtin en-GB_to_en-US tests

# Emulation tests need these; where they cannot be had, those tests are skipped and say so.
system-tools: browser
	@missing=$$(for tool in $(SYSTEM_TOOLS); do command -v $$tool >/dev/null || printf ' %s' $$tool; done); \
	test -z "$$missing" && exit 0; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  echo "== apt-get install$$missing"; \
	  apt-get -qq update && apt-get -qq install --yes --no-install-recommends $$missing >/dev/null && exit 0; \
	fi; \
	echo "note:$$missing not installed, tests that need them are skipped; apt-get install$$missing" >&2

# The report is opened in a browser: 103 MB from apt, about 20 s; where apt has none, that test is skipped and says so.
browser:
	@for name in $(BROWSERS); do command -v $$name >/dev/null && exit 0; done; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  echo "== apt-get install chromium (103 MB)"; \
	  apt-get -qq update && apt-get -qq install --yes --no-install-recommends chromium >/dev/null && exit 0; \
	fi; \
	echo "note: no Chromium, the test that opens the report is skipped; apt-get install chromium" >&2

# pyright uses one core: the tests need not wait for it.
test: $(INSTALLED) system-tools
	@$(MAKE) --no-print-directory -j2 lint pytest

pytest:
	$(BIN)/python -m pytest -n 2 --dist worksteal

quick: $(INSTALLED)
	$(BIN)/python -m pytest -n 2 --dist worksteal --quick

# The path of a new user, from an empty environment; it prints the minutes of each step.
test-nightly: system-tools
	$(BIN)/python -m pytest -n 2 --dist worksteal --quick
	$(BIN)/python -m pytest -n 2 --dist worksteal --nightly -m nightly
	$(BIN)/python tests/install/new_user.py
	$(BIN)/python tests/fuzz/campaign.py --executions 100000 --minutes 10 --seed $$(date +%j)
	$(BIN)/python tests/mutants/run.py --minutes 30
	$(MAKE) --no-print-directory coverage

fuzz: $(INSTALLED)
	$(BIN)/python tests/fuzz/campaign.py $(FUZZ)

mutants: $(INSTALLED)
	$(BIN)/python tests/mutants/run.py $(MUTANTS)

# Branches of the rooms that everything trusts, by the tests of these rooms, in workers and children too.  It begins before
# pytest, one of whose plugins is ours; compiled functions count by tests/sim/maxplus/test_interpreted.py.
coverage: $(INSTALLED)
	rm -rf build/coverage && mkdir -p build/coverage
	$(BIN)/python -m coverage run -m pytest -n 2 --dist worksteal --slow $(COVERED:%=tests/%)
	$(BIN)/python -m coverage combine --quiet
	$(BIN)/python -m coverage report --show-missing --skip-covered
	$(BIN)/python tests/covered/rooms.py --least 95 $(COVERED)

# Lines and files per room, beside what it may have (tests/size/budget.csv); the tests hold them to it.
size: $(INSTALLED)
	@$(BIN)/python tests/size/room_sizes.py

# What the index offers today, for all Pythons that sttest supports; torch and its CUDA packages stand apart.
lock: $(INSTALLED)
	$(BIN)/python tests/install/write_locks.py

sbom: $(INSTALLED)
	@mkdir -p build
	$(BIN)/cyclonedx-py requirements $(LOCK) --pyproject pyproject.toml --mc-type library --output-reproducible \
	  --validate -o build/sttest.cdx.json

bench: $(INSTALLED)
	$(BIN)/python -m benchmarks

docs: $(INSTALLED)
	PYTHONPATH=. $(BIN)/python -m mkdocs build --strict --site-dir build/site

reproduce: $(INSTALLED)
	@echo "== sttest reproduce gpt2"
	$(BIN)/sttest reproduce gpt2

clean:
	rm -rf $(VENV) build
