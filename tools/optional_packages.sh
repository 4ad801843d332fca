#!/usr/bin/env bash
# Installs packages without which some tests are skipped: NVIDIA's assembler, PyTorch with its CUDA libraries, and
# Hugging Face's transformers.
#
# Usage: tools/optional_packages.sh VENV [SECONDS]
#
# A download that fails, or takes longer than SECONDS (default: 600), leaves the environment as it was and fails
# nothing: the end of a test run counts and names the skipped tests. uv keeps what it downloads in its cache.
set -uo pipefail
venv=$1
seconds=${2:-600}

install() {
  local what=$1 group=$2 begin=$SECONDS log
  log=$(mktemp)
  if timeout "$seconds" "$venv/bin/uv" pip install --quiet --python "$venv/bin/python" --group "$group" >"$log" 2>&1; then
    echo "hocket: $what: installed in $((SECONDS - begin)) s"
  else
    echo "hocket: $what: not installed after $((SECONDS - begin)) s; tests that need it are skipped"
    tail -n 3 "$log" | sed 's/^/  /'
  fi
  rm -f "$log"
}

install "NVIDIA's assembler (100 MB)" assembler
install "PyTorch with its CUDA libraries (3 GB)" torch
install "transformers (90 MB)" transformers
