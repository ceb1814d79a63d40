# `make train` and `make test` set up a virtual environment by themselves where there is none.
PYTHON ?= python3
VENV ?= .venv
CONFIG ?= jie-long
EXTRAS ?= dev
RUN = $(VENV)/bin

.PHONY: train test machine-code check portable docs fresh lowest setup clean

train: setup
	$(RUN)/gupai train $(CONFIG)

test: setup
	$(RUN)/python -m pytest -n auto --dist worksteal

# The machine code of all games for this processor, as platform wheels hold it; `GUPAI_MACHINE_CODE=shipped make test`
# uses it. It takes numba longer than what the tests alone need.
machine-code: setup
	$(RUN)/python tools/machine_code.py

check: setup
	$(RUN)/ruff check .
	$(RUN)/ruff format --check .
	$(RUN)/mypy

# As on processors that cannot move bits in one instruction, ARM's among them: the lowest layer, and games, which must
# deal and play the same to the byte. GAMES: one of them, or a part of their names; all take minutes.
GAMES ?= test
portable: setup
	NUMBA_CPU_NAME=generic $(RUN)/python -m pytest -n auto -k "byte_rows or $(GAMES)" tests/env/core/test_byte_rows.py \
		tests/env/core/test_rng.py::test_deals_and_play_of_a_seed_never_change

docs:
	$(MAKE) setup EXTRAS=$(EXTRAS),docs
	$(RUN)/python -c "import furo, nbclient" 2>/dev/null || \
		$(RUN)/pip install --quiet --constraint constraints.txt --editable ".[dev,docs]"
	$(RUN)/python -m sphinx -W --keep-going -q -b html docs build/docs
	$(RUN)/python -m pytest -n 0 -m site tests/project/test_site.py
	@echo build/docs/index.html

# The wheel in a virtual environment of its own, used outside the checkout: `make fresh PYTHON=python3.14`.
fresh:
	$(PYTHON) .ci/fresh

lowest:
	$(PYTHON) .ci/fresh --constraint constraints-lowest.txt

setup: $(VENV)/.ready

$(VENV)/.ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(RUN)/pip install --quiet --constraint constraints.txt torch
	$(RUN)/pip install --quiet --constraint constraints.txt --editable ".[$(EXTRAS)]"
	touch $@

clean:
	rm -rf $(VENV) build *.egg-info
