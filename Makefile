# The dev loop. Every target does what it needs first: `make run` and `make test` each work alone on a fresh machine.
PYTHON ?= python3
VENV   := .venv
BUILD  := build/dev
GPU    ?= cuda
# CI builds once, from nothing: several files of a library at a time take a third less time.
UNITY  := $(if $(CI),-DCMAKE_UNITY_BUILD=ON)
PY     := $(CURDIR)/$(VENV)/bin/python
# JupyterLab refuses to run as root, which users of containers are.
AS_ROOT = $(shell [ "$$(id -u)" -ne 0 ] || echo --allow-root)
# The virtual environment first, so that CMake finds its pybind11 and lit.
export PATH := $(CURDIR)/$(VENV)/bin:$(PATH)
# The line that ninja keeps up to date while it builds.
export NINJA_STATUS = hocket: compiling, step %f of %t, %es 

.PHONY: help run notebook test quick codegen slow gpu build module configure sanitize torture setup wheel wheels lock fmt lint docs clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 14

run: module ## build, then run the ready kernels and the tutorials on every target found, and print tables
	@$(PY) tools/ready_kernels.py
	@$(PY) tools/run_tutorials.py

notebook: module ## build, then open copies of the tutorials in JupyterLab
	@echo "hocket: installing JupyterLab into $(VENV)"
	@$(VENV)/bin/uv pip install --quiet --python $(PY) --group notebook
	@mkdir -p build/notebooks
	@for file in tutorials/[0-9]*.py; do \
	  copy=build/notebooks/$$(basename $$file .py).ipynb; \
	  [ $$copy -nt $$file ] || jupytext --quiet --to ipynb --output $$copy $$file || exit 1; \
	done
	@PYTHONPATH=$(CURDIR)/tutorials jupyter lab --notebook-dir build/notebooks $(AS_ROOT)

test: build ## build, then run every test: GoogleTest, lit + FileCheck, pytest
	@tools/run_tests.sh $(BUILD)

quick: build ## build, then run a sample of the tests: less than a minute on two cores
	@tools/run_tests.sh $(BUILD) quick

codegen: build ## build, then run the tests that count instructions of generated code
	@tools/run_tests.sh $(BUILD) codegen

slow: module ## build, then run the Python tests that take longest
	@tools/run_tests.sh $(BUILD) slow

gpu: module ## build, then run on a GPU the tests that can: GPU=cuda (default) or GPU=hip
	@GPU=$(GPU) tools/run_tests.sh $(BUILD) gpu

build: configure ## compile everything, for Python in the virtual environment and the tests
	@cmake --build $(BUILD)

module: configure # what Python imports: a fifth less than everything
	@[ -e $(BUILD)/.ninja_log ] || echo "hocket: compiling takes about 12 minutes on two cores, later only what has changed"
	@cmake --build $(BUILD) --target hocket_core

sanitize: setup ## build with sanitizers (asan, tsan) and run what they can judge: half an hour
	@tools/sanitize.sh $(PY)

torture: build ## run what must never crash, hang or be wrong at length: hours
	@tools/torture.sh $(PY)

wheel: setup ## make a wheel in dist/ for PYTHON=/path/to/python
	@tools/make_wheels.sh $(VENV) $(PYTHON)

wheels: setup ## make wheels in dist/ for Python 3.10 to 3.13
	@tools/make_wheels.sh $(VENV) 3.10 3.11 3.12 3.13

lock: setup ## pin what a build needs anew, in tools/build.lock
	@$(VENV)/bin/uv pip compile --quiet --group build --universal --generate-hashes --no-header -o tools/build.lock

fmt: setup ## format C++ and Python
	@git ls-files '*.cpp' '*.h' | xargs clang-format -i
	@ruff format . && ruff check --fix .

lint: setup ## formatters, linters, layering, links and wording, as CI runs them
	@git ls-files '*.cpp' '*.h' | xargs -n 64 -P "$$(nproc)" clang-format --dry-run -Werror
	@ruff format --check . && ruff check .
	@basedpyright --project pyproject.toml --pythonpath $(PY) --level error
	@$(PY) tools/check_layering.py
	@$(PY) tools/check_static_names.py
	@$(PY) tools/check_links.py
	@$(PY) tools/check_prose.py

docs: module ## regenerate docs/ops.md, pictures and notebooks, and build the site: build/site/index.html
	@$(VENV)/bin/uv pip install --quiet --python $(PY) --group docs
	@cmake --build $(BUILD) --target hocket-docs
	@$(PY) tools/write_support_matrix.py
	@$(PY) tools/draw_pictures.py
	@$(PY) tools/run_tutorials.py --save docs/notebooks
	@$(PY) tools/website

setup: $(VENV)/.stamp

$(VENV)/.stamp: pyproject.toml tools/setup.sh
	@tools/setup.sh $(PYTHON) $(VENV)
	@touch $@

configure: $(BUILD)/build.ninja

$(BUILD)/build.ninja: $(VENV)/.stamp CMakePresets.json
	@cmake --preset dev -DPython_EXECUTABLE=$(PY) $(UNITY) --log-level=WARNING

clean: ## remove what was built, keep the virtual environment
	rm -rf build dist python/hocket/_core*.so
