#!/usr/bin/env bash
# Runs every test and ends with one count per suite. Usage: tools/run_tests.sh BUILD_DIR
set -uo pipefail
build=$1
status=0

echo "== GoogleTest"
ctest --test-dir "$build" --output-on-failure --progress || status=1

echo "== lit + FileCheck"
lit -s "$build/tests/lit" || status=1

echo "== pytest"
pytest -n auto || status=1

exit $status
