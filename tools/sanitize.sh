#!/usr/bin/env bash
# Builds with sanitizers and runs the tests that reach most of the C++ code. A report ends the test that caused it.
#
# Usage: tools/sanitize.sh PYTHON
#
# Presets asan and tsan: GoogleTest, lit, a chosen part of pytest. Not in CI, which it would make three times as long.
set -uo pipefail
cd "$(dirname "$0")/.."
python=$1

# LLVM is not instrumented: what it allocates from a pool would stay marked as unallocated, and tables that live as long
# as the process, in Python's too, would be leaks. So leaks are looked for in GoogleTest only.
# LLVM gives a thread that links a signal stack of its own, which AddressSanitizer would unmap as its own when it ends.
symbolizer=/usr/lib/llvm-22/bin/llvm-symbolizer
export ASAN_OPTIONS=allow_user_poisoning=0:detect_leaks=0:detect_odr_violation=0:use_sigaltstack=0
export ASAN_SYMBOLIZER_PATH=$symbolizer
export UBSAN_OPTIONS=print_stacktrace=1
export TSAN_OPTIONS=halt_on_error=1:history_size=2:external_symbolizer_path=$symbolizer

asan_tests=(tests/errors tests/python/{checking,emulator,frontend,language,profiler,runtime}
            tests/numerics/*/test_{async_copy,atomics,buffer_ops,casts,control_flow,convert_layout,mfma,prefetch,reduce}.py
            tests/numerics/*/test_{random_handles,random_programs,shared_memory,timeline,warp_pipelines}.py
            tests/numerics/*/test_{aggregates,auto_layout,clusters,cluster_copies,gather,inner_functions,join_split}.py
            tests/numerics/*/test_{jumps,map_elementwise,mbarriers,profiler_records,shared_branches,timeline_hopper}.py)
tsan_tests=(tests/python/{checking,emulator,runtime}
            tests/numerics/*/test_{async_copy,atomics,emulator_seeds,order_between_blocks,reduce,shared_memory}.py)

status=0
for preset in asan tsan; do
  build=$PWD/build/$preset
  cmake --preset "$preset" -DPython_EXECUTABLE="$python" --log-level=WARNING && cmake --build "$build" || exit 1
  runtime=$(sed -n 's/^HOCKET_SANITIZER_RUNTIME:[A-Z]*=//p' "$build/CMakeCache.txt")

  # A package of this build's module and links to the Python files.
  (cd python && find hocket -name '*.py' -o -name '*.pyi' -o -name py.typed) | while read -r file; do
    mkdir -p "$build/python/$(dirname "$file")"
    ln -sf "$PWD/python/$file" "$build/python/$file"
  done
  export PYTHONPATH=$build/python

  echo "== $preset: GoogleTest"
  ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=1 ctest --test-dir "$build" --output-on-failure --progress || status=1
  echo "== $preset: lit + FileCheck"
  lit -s "$build/tests/lit" || status=1
  echo "== $preset: pytest"
  tests=${preset}_tests[@]
  LD_PRELOAD=$runtime "$python" -m pytest -n auto "${!tests}" || status=1
done
exit $status
