#!/usr/bin/env bash
# The long parts of tests/robustness, one after the other; their quick parts are tests. Usage: tools/torture.sh PYTHON
set -uo pipefail
python=$1
status=0

torture() {
  echo "== $1, $2 times"
  "$python" "tests/robustness/$1_torture.py" "$2" || status=1
}

torture cache 100000
torture process 1000
torture schedule 200
echo "== mutated IR, mutated kernels, random commands"
"$python" tests/robustness/seeded_torture.py || status=1

echo "== calls with arguments of wrong kinds"
"$python" tests/robustness/wrong_arguments.py || status=1
"$python" tests/robustness/wrong_host_arguments.py || status=1

echo "== all pairs of layouts"
HOCKET_ALL_LAYOUT_PAIRS=1 "$python" -m pytest -q tests/numerics/layouts/test_layout_pairs.py || status=1

exit $status
