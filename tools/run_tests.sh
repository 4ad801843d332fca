#!/usr/bin/env bash
# Runs tests; each suite ends with a count. Usage: tools/run_tests.sh BUILD_DIR [TIER]
#
#   all      every test (default)
#   quick    most of GoogleTest and lit, a sample of pytest: less than a minute on two cores
#   codegen  instruction counts of generated code
#   slow     the Python tests that take longest
#   gpu      the tests that run on a GPU, on one: GPU=cuda (default) or GPU=hip
set -uo pipefail
build=$1
tier=${2:-all}
status=0
# Hundreds of tests start a Python process, which would compile the modules that it imports each time.
unset PYTHONDONTWRITEBYTECODE
cores=$(nproc) # before OMP_NUM_THREADS, which nproc heeds
# pytest has a worker for each core. Idle threads of NumPy's and PyTorch's pools would spin beside the workers.
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1

googletest() {
  echo "== GoogleTest"
  ctest --test-dir "$build" --output-on-failure --progress "$@" || status=1
}

run_lit() {
  echo "== lit + FileCheck"
  lit -s "$build/tests/lit" "$@" || status=1
}

run_pytest() {
  echo "== pytest"
  pytest -n auto -p no:logging "$@" || status=1 # no test reads log records, which pytest would collect
}

# Runs the tests with a marker. Only files that name it are imported.
run_marked() {
  local files
  mapfile -t files < <(grep -rlE "\bmark\.$1\b" tests --include='test_*.py' | sort)
  run_pytest -m "$@" "${files[@]}"
}

case $tier in
  all)
    googletest -j "$cores"
    run_lit
    run_pytest
    ;;
  quick)
    googletest -j "$cores" -E unit_transforms
    run_lit --filter-out ' codegen/'
    run_marked quick
    ;;
  codegen)
    run_lit --filter ' codegen/'
    run_marked codegen
    ;;
  slow) run_marked slow ;;
  gpu) run_pytest -m gpu --target "${GPU:-cuda}" tests/numerics ;;
  *) echo "run_tests.sh: no tier is called $tier" >&2; exit 2 ;;
esac
exit $status
