# `make serve` and `make test` install what is missing into .venv; nothing else has to be there but Python 3.11+.
PYTHON ?= python3
comma := ,
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install -q -c constraints.txt

# EXTRAS=cluster make serve: the clients of Redis, MongoDB, Weaviate and Milvus as well.
EXTRAS ?=
STAMP := $(VENV)/.installed$(if $(EXTRAS),-$(subst $(comma),+,$(EXTRAS)))

.PHONY: serve test test-torch lint chat bench loadtest constraints clean

serve: $(STAMP)
	@exec $(BIN)/lira serve $(if $(PORT),--port $(PORT))

chat: $(VENV)/.installed
	@exec $(BIN)/lira chat --url http://127.0.0.1:$(or $(PORT),8000)

# Two at a time: much of the suite waits for a process that starts. A file stays with one worker, so that what it shares is started once.
# LIRA_TEST_LONG=1: also what takes minutes (a served language model, a stage that grows). Two nodes: LIRA_TEST_NODES=1.
WORKERS ?= 2
test: $(VENV)/.installed-test
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile

# torch has an environment of its own, which sees what is in the first: it is large, and nothing else may come to need it.
TORCH := .venv-torch
$(TORCH)/.installed: $(VENV)/.installed-test
	$(PYTHON) -m venv $(TORCH)
	$(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))' > "$$($(TORCH)/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/lira.pth"
	$(TORCH)/bin/python -m pip --disable-pip-version-check install -q --no-compile -c constraints.txt torch==2.13.0 'transformers>=5' onnx==1.23.2
	@touch $@

test-torch: $(TORCH)/.installed
	$(TORCH)/bin/python -m pytest -m torch tests/torch

lint: $(VENV)/.installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/.installed
	$(BIN)/lira bench

# USERS=50 SHAPE=steady|ramp|spike|soak DURATION=5m REPORT=loadtest.html CONFIG=a Serve config, or URL=a running server; fails where a limit is broken.
loadtest: $(VENV)/.installed-loadtest
	$(BIN)/python -m loadtests.run $(if $(USERS),--users $(USERS)) $(if $(SHAPE),--shape $(SHAPE)) $(if $(DURATION),--duration $(DURATION)) \
		$(if $(REPORT),--report $(REPORT)) $(if $(CONFIG),--config $(CONFIG)) $(if $(URL),--host $(URL))

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml constraints.txt | $(BIN)/python
	@echo "Installing LIRA into $(VENV) (once; a minute or two) ..."
	$(PIP) -e .
	@touch $@

$(VENV)/.installed-%: $(VENV)/.installed
	$(PIP) -e '.[$(subst +,$(comma),$*)]'
	@touch $@

$(VENV)/.installed-test: $(VENV)/.installed
	$(PIP) -e '.[test]'
	@touch $@

# Pins everything that is installed; run after changing a dependency.
constraints: $(VENV)/.installed-test
	$(BIN)/python -m pip freeze --exclude-editable --exclude lira > constraints.txt

clean:
	rm -rf $(VENV) $(TORCH) build dist *.egg-info
