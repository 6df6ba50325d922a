# make play: set everything up and play.   make test: set everything up and check everything.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PLAY ?=

.PHONY: help play test lint format bench clean

help:
	@echo "make play    a game in the terminal (PLAY='duel --with greedy' for other games)"
	@echo "make test    lint, types and every test"
	@echo "make format  put the code in its standard form"
	@echo "make bench   measure this machine"
	@echo "make clean   remove everything that was made"

$(VENV)/.play: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=python3.11 ...")'
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable .
	@touch $@

$(VENV)/.test: $(VENV)/.play
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	@touch $@

play: $(VENV)/.play
	@$(BIN)/qwixx play $(PLAY)

lint: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

test: lint
	$(BIN)/pytest -n auto

format: $(VENV)/.test
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.test
	$(BIN)/python bench/law.py
	$(BIN)/python bench/engine.py
	$(BIN)/python bench/lab.py

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
