# Set-up, demo and checks of wbmpc. `make help` lists what there is.

.DEFAULT_GOAL := help
.PHONY: help demo install browser test claims lint format types docs packages picture constraints clean

VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/installed.stamp
BUILD_REQUIREMENTS := $(VENV)/build-requirements.txt
NATIVE_SOURCES := CMakeLists.txt \
  $(shell find wbmpc/native -name '*.[ch]pp' -o -name '*.[ch]' -o -name '*.inc')
DEMO := runs/demo-$(shell date +%Y%m%d-%H%M%S)

# $(call debian,PACKAGE,WHAT IT IS): install it when root on Debian, otherwise ask.
debian = if [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null; then \
    echo "installing $(2) ($(1))" && \
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y $(1); \
  else \
    echo "wbmpc needs $(2). On Debian and Ubuntu: sudo apt install $(1)" >&2; exit 1; \
  fi

# Packages come through uv, or through pip where uv cannot be had or cannot reach them.
define PACKAGES
packages() { \
    $(BIN)/uv pip install -q --python $(BIN)/python --reinstall-package wbmpc "$$@" \
    || { echo "uv did not do it, trying pip" >&2; \
      $(BIN)/python -m pip install -q --disable-pip-version-check "$$@"; }; \
  }; packages -c constraints.txt
endef

help:  ## List the targets
	@awk -F':.*## ' '/^[a-z]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' Makefile

demo: $(INSTALLED)  ## Window washing with and without the estimator: table, pictures, page
	@$(BIN)/wbmpc compare window_washing --out $(DEMO)
	@echo "pictures: $(CURDIR)/$(DEMO)/plots"
	@echo "page (opens offline): $(CURDIR)/$(DEMO)/replay.html"

install: $(INSTALLED)  ## Set up .venv with everything in it

browser:  # For the tests of the operator's page; without one they are skipped.
	@if ! { command -v chromium || command -v chromium-browser \
	  || command -v google-chrome; } > /dev/null; then \
	  ($(call debian,chromium,a browser)) || echo "tests in a browser are skipped" >&2; fi

test: $(INSTALLED) browser  ## Run the tests (ARGS="-m slow": the long ones)
	OMP_NUM_THREADS=1 $(BIN)/pytest -q $(ARGS)

claims: $(INSTALLED)  ## Measure again what README and docs/results.md state
	OMP_NUM_THREADS=1 $(BIN)/pytest -q -m claims tests/claims

lint: $(INSTALLED)  ## Check format and style
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

format: $(INSTALLED)  ## Format and fix what can be fixed
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

types: $(INSTALLED)  ## Check types
	$(BIN)/mypy
	$(BIN)/mypy examples

docs: $(INSTALLED)  ## The site, which opens offline (docs/_build/html/index.html)
	$(BIN)/codespell --ignore-words docs/words.txt README.md CONTRIBUTING.md \
	  CHANGELOG.md docs ekf/README.md --skip 'docs/_build,*.png,*.gif'
	$(BIN)/python -m sphinx -q -W --keep-going -b html docs docs/_build/html
	@echo "open $(CURDIR)/docs/_build/html/index.html"

packages: $(INSTALLED)  ## Wheel and source distribution in empty environments
	.ci/packages

picture: $(INSTALLED)  ## The moving picture of the README
	$(BIN)/wbmpc compare window_washing --out $(DEMO)
	$(BIN)/wbmpc video $(DEMO) --out docs/images/window_washing.gif \
	  --size 800x450 --from 2 --to 10

constraints: $(INSTALLED)  ## Resolve constraints.txt anew (ARGS=--upgrade: newest of all)
	echo uv | $(BIN)/uv pip compile -q --python-version 3.11 --all-extras --no-annotate \
	  --custom-compile-command "make constraints" $(ARGS) \
	  -o constraints.txt pyproject.toml $(BUILD_REQUIREMENTS) -

clean:  ## Remove the environment, builds and caches; runs/ stays
	rm -rf $(VENV) build dist docs/_build docs/reference/generated .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find models ekf wbmpc teleop scenarios examples tests -name __pycache__ -prune \
	  -exec rm -rf {} +

# The build requirements go into the environment itself: an isolated build would unpack
# the same large wheels a second time.
$(INSTALLED): pyproject.toml constraints.txt $(NATIVE_SOURCES) | $(BIN)/python
	@if [ "$$(uname)" = Linux ] && ! $(BIN)/python -c \
	  'import ctypes; ctypes.CDLL("libgomp.so.1")' 2> /dev/null; \
	then $(call debian,libgomp1,the OpenMP library); fi
	@$(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt uv \
	  || echo "uv is not to be had, pip does it, slower"
	@$(BIN)/python -c 'import tomllib; \
	  project = tomllib.load(open("pyproject.toml", "rb")); \
	  print(*project["build-system"]["requires"], "cmake", "ninja", sep="\n")' \
	  > $(BUILD_REQUIREMENTS)
	@echo "installing packages (about 360 MB to load the first time)"
	@$(PACKAGES) -r $(BUILD_REQUIREMENTS)
	@echo "installing wbmpc and compiling its native part (a minute or two)"
	@$(PACKAGES) --no-build-isolation -e '.[dev,docs,parquet,ros2,dashboard]'
	@$(BIN)/python -c 'from wbmpc import native; \
	  print(native.REASON and native.REASON + " (Debian and Ubuntu: " \
	    "sudo apt install g++ python3-dev), then: make -B install" \
	    or "the native part is compiled")'
	@touch $@

$(BIN)/python:
	@set -e; found=; \
	for candidate in $(or $(PYTHON),python3.11 python3.12 python3); do \
	  if $$candidate -c 'import sys; \
	    sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 13))' 2> /dev/null; \
	  then found=$$candidate; break; fi; \
	done; \
	if [ -z "$$found" ]; then \
	  echo "wbmpc needs Python 3.11 or 3.12; tried:" \
	    "$(or $(PYTHON),python3.11 python3.12 python3)." \
	    "Install one (Debian and Ubuntu: sudo apt install python3.11-venv)" \
	    "or name it: make install PYTHON=/path/to/python3.11" >&2; exit 1; \
	fi; \
	if ! $$found -c 'import ensurepip' 2> /dev/null; then \
	  version=$$($$found -c 'import sys; print("%d.%d" % sys.version_info[:2])'); \
	  $(call debian,python$$version-venv,Python's module for environments); \
	fi; \
	$$found -m venv $(VENV)
