# Every target makes the virtual environment it needs; nothing has to be set up by hand.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
EXTRAS := ray,hf,tensorboard,wandb,onnx,optimize,graph,sympy,docs,lint,test

.PHONY: run test test-programs test-circuits test-bounds test-cuda lint format bench bench-schedule docs clean

# The environment of `run` holds what a user needs; `test`, `lint` and `bench` add the extras.
$(VENV)/.run: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e .
	touch $@

$(VENV)/.dev: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[$(EXTRAS)]"
	touch $@ $(VENV)/.run

run: $(VENV)/.run
	$(BIN)/bestiary recall --preset quick

test: $(VENV)/.dev
	$(BIN)/python -m pytest -n 2 --dist worksteal

# As many random programs as the compiler is held to; `make test` runs a few of them.
test-programs: $(VENV)/.dev
	$(BIN)/python tests/compile/test_random_programs.py --count 10000

# As many random circuits, arithmetic and boolean, in both layouts.
test-circuits: $(VENV)/.dev
	$(BIN)/python tests/compile/from_circuit/test_random_circuits.py --count 10000

# Every butterfly with n·d ≤ 4096 against its bound and the product; `make test` has the small ones.
test-bounds: $(VENV)/.dev
	$(BIN)/python tests/compile/from_matrix/test_channel_groups.py --largest 4096

test-cuda: $(VENV)/.dev
	$(BIN)/python -m pytest -m cuda -p no:xdist

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.dev
	$(BIN)/python -m benchmarks

# How often the heuristic schedule is the best one, and by how much it is not.
bench-schedule: $(VENV)/.dev
	$(BIN)/python -m benchmarks.schedule

docs: $(VENV)/.dev
	$(BIN)/mkdocs build --strict

clean:
	rm -rf $(VENV) results site build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
