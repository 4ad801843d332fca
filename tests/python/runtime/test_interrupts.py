"""Ctrl-C while a kernel is compiled: noticed in every stage, and the process works afterwards.

A compilation blocks at the beginning of a step, so that the tests do not depend on compile times. The time limit of
`run` is for hangs.
"""

import pytest

INTERRUPTED = """
    def press(came):
        while not came():
            time.sleep(0.001)
        os.kill(os.getpid(), signal.SIGINT)

    def interrupt(work, came=_core.testing.is_compilation_held):
        thread = threading.Thread(target=press, args=[came])
        thread.start()
        try:
            work()
            print("went on")
        except KeyboardInterrupt:
            print("interrupted")
        thread.join()

    may_end.set()
"""


@pytest.fixture
def run_interrupted(run):
    return lambda code: run(INTERRUPTED + code)


@pytest.mark.parametrize("stage", ["tile", "lane", "host conversion", "host code", "host instructions"])
def test_for_the_emulator(run_interrupted, stage):
    """The second launch compiles beside the first compilation, which is still held."""
    assert run_interrupted(f"""
    _core.testing.hold_compilations_at({stage!r})
    interrupt(lambda: launch(add))
    launch(add)
    print(out[0])
    _core.testing.hold_compilations_at("")
    launch(add, block=128)
    print(out[0])
    """) == (0, "interrupted\n257.0\n129.0\n")


@pytest.mark.parametrize(
    "target, artifact, stages",
    [
        ("gfx950", "hsaco", ["gpu", "export to LLVM IR", "optimize", "select instructions", "assemble and link"]),
        ("sm_90a", "cubin", ["gpu", "optimize", "select instructions", "assemble"]),
    ],
)
def test_for_a_gpu(run_interrupted, target, artifact, stages):
    """One after the other in one process: all compilations but the last are given up and end at their next step."""
    text = "amdgcn" if target == "gfx950" else "ptx"
    assert run_interrupted(f"""
    kernel = add.warmup(gl.float32, gl.float32, x.size, BLOCK=256, target={target!r})
    for stage in {stages}:
        _core.testing.hold_compilations_at(stage)
        interrupt(lambda: kernel.asm[{artifact!r}])
    _core.testing.hold_compilations_at("")
    print("add" in add.warmup(gl.float32, gl.float32, x.size, BLOCK=512, target={target!r}).asm[{text!r}])
    """) == (0, "interrupted\n" * len(stages) + "True\n")


def test_in_ptxas(run_interrupted, tmp_path):
    """A program of its own is ended."""
    program = tmp_path / "bin" / "ptxas"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho $$ > pid.new && mv pid.new $(dirname $0)/pid\nexec sleep 1000\n")
    program.chmod(0o755)
    assert run_interrupted(f"""
    folder = {str(program.parent)!r}
    os.chdir(folder)
    _core.set_cuda_toolchain([{str(tmp_path / "lib")!r}], 1)  # there is no nvJitLink for this version
    print(_core.cubin_assembler())
    interrupt(lambda: _core.ptx_to_cubin(b"", _core.KernelFacts(target="sm_90a")), lambda: os.path.exists("pid"))
    pid = int(open("pid").read())
    while os.path.exists(f"/proc/{{pid}}"):
        time.sleep(0.001)
    print("ended")
    """) == (0, f"ptxas ({program})\ninterrupted\nended\n")


def test_in_the_front_end(run_interrupted):
    """Another process presses: while the front end runs, no other thread of this one does."""
    assert run_interrupted("""
    @hocket.jit
    def endless(out, N: gl.constexpr):
        for i in gl.static_range(N):
            for j in gl.static_range(N):
                for k in gl.static_range(N):
                    gl.static_assert(k < N)

    import subprocess

    subprocess.Popen(["sh", "-c", f"sleep 1; kill -INT {os.getpid()}"])
    try:
        endless[(1,)](out, N=10_000)
    except KeyboardInterrupt:
        launch(add)
        print(out[0])
    """) == (0, "257.0\n")


def test_a_thread_that_waits_for_the_same_kernel_compiles_it(run_interrupted):
    assert run_interrupted("""
    thread = threading.Thread(target=launch, args=[add])

    def waits():
        if not _core.testing.is_compilation_held():
            return False
        thread.start()
        time.sleep(0.1)  # it waits by now
        return True

    _core.testing.hold_compilations_at("lane")
    interrupt(lambda: launch(add), waits)
    thread.join()
    print(out[0])
    _core.testing.hold_compilations_at("")
    """) == (0, "interrupted\n257.0\n")


def test_the_process_ends_while_an_abandoned_compilation_goes_on(run_interrupted):
    assert run_interrupted("""
    _core.testing.hold_compilations_at("host code")
    interrupt(lambda: launch(add))
    """) == (0, "interrupted\n")


def test_a_fork_after_it(run_interrupted):
    """The child compiles, and so does the parent afterwards."""
    assert run_interrupted("""
    _core.testing.hold_compilations_at("host code")
    interrupt(lambda: launch(add))
    _core.testing.hold_compilations_at("")
    child = os.fork()
    if child == 0:
        launch(add)
        os._exit(int(out[0]) - 200)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    launch(add)
    print(out[0])
    """) == (0, "interrupted\n57\n257.0\n")


def test_a_fork_with_idle_workers_leaves_no_threads_of_ours(run_interrupted):
    assert run_interrupted("""
    def workers():
        threads = os.listdir("/proc/self/task")
        return [open(f"/proc/self/task/{thread}/comm").read() for thread in threads].count("hocket\\n")

    add.warmup(gl.float32, gl.float32, x.size, BLOCK=256, target="gfx950")
    print(workers())
    if (child := os.fork()) == 0:
        add.warmup(gl.float32, gl.float32, x.size, BLOCK=512, target="gfx950")
        os._exit(0)
    print(workers(), os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    """) == (0, "1\n0 0\n")


def test_other_handlers_run_and_the_compilation_goes_on(run_interrupted):
    assert run_interrupted("""
    def handler(*_):
        print("handled")
        _core.testing.hold_compilations_at("")

    signal.signal(signal.SIGINT, handler)
    _core.testing.hold_compilations_at("lane")
    interrupt(lambda: launch(add))
    print(out[0])
    """) == (0, "handled\nwent on\n257.0\n")
