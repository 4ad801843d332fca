"""Threads that are in the core when the process ends or forks, first launches at the same time, subinterpreters."""

import subprocess
import sys
import textwrap

import pytest
from patience import HANG_SECONDS


@pytest.mark.parametrize(
    "work",
    [
        "launch(add)",
        "add.warmup(x, out, x.size, BLOCK=256, target='gfx950'); add._forget()",
        "with hocket.emulator.schedule(threads=2): launch(add, 1)",
    ],
    ids=["launches", "compiles", "is in a long launch"],
)
def test_the_process_ends_while_a_daemon_thread(run, work):
    program = f"""
        def work():
            while True:
                {work}
                once.set()

        once = threading.Event()
        launch(add)
        for _ in range(2):
            threading.Thread(target=work, daemon=True).start()
        once.wait(1)
        print("end")
    """
    assert run(program) == (0, "end\n")


class TestForks:
    def test_the_child_compiles_what_the_parent_was_compiling(self, run):
        assert run("""
            thread = threading.Thread(target=launch, args=[slow])
            thread.start()
            started.wait()
            threading.Timer(0.05, may_end.set).start()
            child = os.fork()
            if child == 0:
                launch(slow, 128)
                launch(add)
                os._exit(int(out[0]))  # 1 + 256
            thread.join()
            launch(add, 64)
            print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        """) == (0, "1\n")

    def test_the_child_launches_what_the_parent_was_launching(self, run):
        """The emulator's stacks, of which a thread of the parent takes some all the time, are the child's too."""
        assert run("""
            def work():
                while not ends.is_set():
                    launch(add)

            ends = threading.Event()
            launch(add)
            thread = threading.Thread(target=work)
            thread.start()
            statuses = set()
            for _ in range(40):
                child = os.fork()
                if child == 0:
                    signal.alarm(600)
                    launch(add)
                    os._exit(0)
                statuses.add(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
            ends.set()
            thread.join()
            print(statuses)
        """) == (0, "{0}\n")

    def test_the_child_imports_what_the_parent_was_importing(self, run):
        assert run("""
            class SlowImport:
                def find_spec(self, name, path, target=None):
                    if name == "hocket.runtime.emulated":
                        started.set()
                        may_end.wait()

            sys.meta_path.insert(0, SlowImport())
            thread = threading.Thread(target=launch, args=[add])
            thread.start()
            started.wait()
            threading.Timer(0.05, may_end.set).start()
            child = os.fork()
            if child == 0:
                signal.alarm(600)
                launch(add, 128)
                os._exit(0)
            thread.join()
            print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        """) == (0, "0\n")

    def test_while_threads_compile_all_the_time(self, run):
        assert run("""
            def work():
                while not done.is_set():
                    add.warmup(x, out, x.size, BLOCK=256, target="gfx950")
                    add._forget()

            def child():
                add.warmup(x, out, x.size, BLOCK=512, target="sm_90a")

            done = threading.Event()
            threads = [threading.Thread(target=work) for _ in range(2)]
            for thread in threads:
                thread.start()
            for _ in range(8):
                process = multiprocessing.get_context("fork").Process(target=child)
                process.start()
                process.join(20)
                print(process.exitcode)
                process.kill()
            done.set()
        """) == (0, "0\n" * 8)

    def test_the_child_says_what_to_do(self, run):
        assert run("""
            _core.testing.set_fork_patience(0.01)
            thread = threading.Thread(target=launch, args=[slow])
            thread.start()
            started.wait()
            child = os.fork()
            if child == 0:
                try:
                    launch(slow)
                except hocket.LaunchError as error:
                    print(error, flush=True)
                os._exit(3)
            print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
            may_end.set()
            thread.join()
        """) == (
            0,
            "this process was forked while another thread compiled a kernel, so it cannot compile\n"
            "  hint: fork before other threads launch kernels, or start processes with "
            'multiprocessing.get_context("spawn")\n3\n',
        )


SIXTEEN = """\
def worker(kernel):
    ready.wait()
    try:
        launch(kernel)
        results.append("ran")
    except Exception as error:
        results.append(str(error).splitlines()[0])

def count(*arguments, original=compiler.compile_specialization):
    compilations.append(1)
    return original(*arguments)

def are_waiting(threads):
    # The one that compiles is in `meeting`, the others in the call of the kernel.
    frames = sys._current_frames()
    names = [frames[thread.ident].f_code.co_name for thread in threads]
    return names.count("launch") == 15

def run_sixteen(kernel):
    threads = [threading.Thread(target=worker, args=[kernel]) for _ in range(16)]
    for thread in threads:
        thread.start()
    started.wait()
    seen = 0
    while seen < 20:  # a thread may be about to call
        time.sleep(0.01)
        seen = seen + 1 if are_waiting(threads) else 0
    may_end.set()
    for thread in threads:
        thread.join()
    print(len(compilations), *set(results), len(results))

compilations, results, ready = [], [], threading.Barrier(16)
compiler.compile_specialization = count
"""


class TestFirstLaunchesAtTheSameTime:
    def test_one_compiles_for_all(self, run):
        assert run(SIXTEEN + "run_sixteen(slow)") == (0, "1 ran 16\n")

    def test_all_get_the_error(self, run):
        wrong = """
            @hocket.jit
            def wrong(x, out, n, BLOCK: gl.constexpr):
                gl.static_assert(meeting(BLOCK) == 1, "not one")

            run_sixteen(wrong)
        """
        code, out = run(SIXTEEN + textwrap.dedent(wrong))
        assert code == 0
        assert out.startswith("1 ") and "not one" in out and out.endswith(" 16\n")

    def test_ctrl_c_ends_a_wait_and_the_other_thread_goes_on(self, run):
        assert run("""
            thread = threading.Thread(target=launch, args=[slow])
            thread.start()
            started.wait()
            try:
                threading.Timer(0.1, signal.raise_signal, [signal.SIGINT]).start()
                launch(slow)
            except KeyboardInterrupt:
                print("interrupted")
            may_end.set()
            thread.join()
            print(out[0])
        """) == (0, "interrupted\n257.0\n")

    def test_ctrl_c_in_the_one_that_compiles_is_for_it_alone(self, run):
        """Another thread compiles then."""
        assert run("""
            @hocket.constexpr_function
            def interrupted_once(value):
                calls.append(1)
                if len(calls) == 1:
                    thread.start()
                    time.sleep(0.1)  # the thread waits by now
                    raise KeyboardInterrupt
                return value

            @hocket.jit
            def kernel(x, out, n, BLOCK: gl.constexpr):
                layout: gl.constexpr = gl.row_layout()
                i = gl.program_id(0) * interrupted_once(BLOCK) + gl.arange(0, BLOCK, layout=layout)
                gl.store(out + i, gl.load(x + i, mask=i < n) + BLOCK, mask=i < n)

            calls, thread = [], threading.Thread(target=launch, args=[kernel])
            try:
                launch(kernel)
            except KeyboardInterrupt:
                print("interrupted")
            thread.join()
            print(len(calls), out[0])
        """) == (0, "interrupted\n2 257.0\n")


@pytest.mark.parametrize("before", ["", "import hocket._core"], ids=["first", "after the main interpreter"])
def test_a_subinterpreter(before):
    """Any other answer is a deadlock: pybind11 asks for the GIL by functions that know the main interpreter alone."""
    program = f"""
        import sys
        try:
            import _interpreters as interpreters
        except ImportError:
            import _xxsubinterpreters as interpreters
        {before}
        code = f'''if True:
            import sys
            sys.path[:] = {{sys.path!r}}
            try:
                import hocket._core
            except ImportError as error:
                print(error, flush=True)
        '''
        interpreters.run_string(interpreters.create(), code)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, timeout=HANG_SECONDS
    )
    assert done.stdout == (
        "hocket works only in the main interpreter of a process\n"
        "  hint: use threads or processes instead of subinterpreters\n"
    ), done.stderr
