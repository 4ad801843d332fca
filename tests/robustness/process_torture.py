"""Forks while threads compile and launch, and processes that end while they do.

    python tests/robustness/process_torture.py 1000

Three threads compile and launch kernels all the time. Children are forked from among them, compile and launch a kernel
of their own, and every other child ends while a daemon thread of its own still does.
"""

from __future__ import annotations

import collections
import os
import signal
import sys
import threading
import time
import traceback

import numpy as np

import hocket
from hocket import language as gl

THREADS = 3
PATIENCE_SECONDS = 300


@hocket.jit
def add(x, out, n, BLOCK: gl.constexpr):
    layout: gl.constexpr = gl.row_layout()
    i = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=layout)
    gl.store(out + i, gl.load(x + i, mask=i < n) + BLOCK, mask=i < n)


def launch_anew(block: int) -> None:
    """Compiles and launches, as if for the first time, and checks the result."""
    x = np.ones(1000, np.float32)
    out = np.zeros_like(x)
    add._forget()
    add[(hocket.cdiv(x.size, block),)](x, out, x.size, BLOCK=block)
    assert (out == 1 + block).all(), out


def launch_for_ever(block: int, done: threading.Event) -> None:
    while not done.is_set():
        launch_anew(block)
        add.warmup(gl.float32, gl.float32, 1000, BLOCK=block, target="gfx950")


def be_a_child(number: int) -> None:
    """Never returns."""
    status = 1
    try:
        signal.alarm(PATIENCE_SECONDS)
        launch_anew(128)
        if number % 2:
            threading.Thread(target=launch_for_ever, args=[64, threading.Event()], daemon=True).start()
            time.sleep(0.01)
            sys.exit()
        status = 0
    except SystemExit:
        # Functions that Python calls at exit, but not in a child that is forked inside the program.
        import atexit

        atexit._run_exitfuncs()
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)


def run(count: int) -> collections.Counter[str]:
    """Counts children by exit status."""
    done = threading.Event()
    threads = [threading.Thread(target=launch_for_ever, args=[32 << i, done]) for i in range(THREADS)]
    for thread in threads:
        thread.start()
    outcomes: collections.Counter[str] = collections.Counter()
    try:
        for number in range(count):
            child = os.fork()
            if child == 0:
                be_a_child(number)
            status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            outcomes[{0: "ended", -signal.SIGALRM: "hung"}.get(status, "crashed")] += 1
    finally:
        done.set()
        for thread in threads:
            thread.join()
    return outcomes


def main() -> int:
    outcomes = run(int(sys.argv[1]))
    print(dict(outcomes))
    return bool(outcomes.keys() - {"ended"})


if __name__ == "__main__":
    sys.exit(main())
