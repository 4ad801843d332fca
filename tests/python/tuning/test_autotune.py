"""hocket.autotune: the choice of a configuration, when kernels are measured, and hooks."""

import re
import threading

import numpy as np
import pytest
from kernels_to_tune import add_one, blocks, convert, grid, increment, kernel_of_warps, needs_shared_memory

import hocket
from hocket import language as gl
from hocket.errors import CompileError, LaunchError, OutOfResources

N = 1000


def arrays(n=N, dtype=np.float32):
    return np.arange(n, dtype=dtype), np.zeros(n, dtype)


class Bench:
    """Replaces do_bench: returns the `cost` of the block size that a run used."""

    def __init__(self, kernel_cost):
        self.cost = kernel_cost
        self.seen = []

    def __call__(self, run, quantiles):
        run()
        block = self.seen[-1]
        return [self.cost[block], self.cost[block] - 1, self.cost[block] + 1]


def tuned_by(cost, **options):
    """add_one with a configuration for each block size in `cost`, which says what it takes."""
    bench = Bench(cost)

    def note(args):
        bench.seen.append(args["BLOCK"])

    configs = [hocket.Config({"BLOCK": block}, pre_hook=note) for block in cost]
    return hocket.autotune(configs, do_bench=bench, **{"key": ["n"], **options})(hocket.jit(add_one)), bench


class TestChoice:
    def test_the_cheapest_is_launched(self):
        kernel, bench = tuned_by({64: 5.0, 128: 3.0, 256: 4.0})
        x, out = arrays()
        kernel[grid](x, out, N)
        np.testing.assert_array_equal(out, x + 1)
        assert kernel.best_config.kwargs == {"BLOCK": 128}
        assert bench.seen[-1] == 128  # the launch itself, after the timed ones

    @pytest.mark.parametrize("dtype", [gl.float16, gl.int32])
    def test_a_dtype_is_a_value_where_the_parameter_is_a_constexpr(self, dtype):
        """Elsewhere a type means an array of it: configurations are compiled without data."""
        kernel = hocket.autotune(blocks(64, 128), key=["n", "DTYPE"], cache_results=False)(hocket.jit(convert))
        x, out = np.arange(N, dtype=np.float32), np.zeros(N, np.dtype(dtype.name))
        kernel[grid](x, out, N, dtype)
        np.testing.assert_array_equal(out, x.astype(out.dtype))

    def test_the_table_says_why(self):
        kernel, _ = tuned_by({64: 5.0, 128: 2.5})
        assert kernel.explain() == "add_one has not been launched yet"
        kernel[grid](*arrays(), N)
        assert kernel.explain().splitlines() == [
            "add_one on an emulated sm_90a, n=1000: BLOCK=128, num_warps=4",
            "2 of 2 configurations ran; timed in this process",
            "  2.5 ms  1.00 x  BLOCK=128, num_warps=4  (1.5 to 3.5)",
            "    5 ms  2.00 x  BLOCK=64, num_warps=4  (4 to 6)",
        ]

    def test_keys_types_and_targets_are_chosen_for_apart(self):
        kernel, bench = tuned_by({64: 1.0, 128: 2.0})
        launches = [(N, np.float32, "sm_90a"), (N, np.float16, "sm_90a"), (500, np.float32, "sm_90a")]
        for n, dtype, target in [*launches, (N, np.float32, "gfx950")]:
            with hocket.emulator.target(target):
                kernel[grid](*arrays(n, dtype), n)
        assert len(kernel.cache) == 4
        timed = len(bench.seen)
        kernel[grid](*arrays(), N)
        with hocket.emulator.target("gfx950"):
            kernel[grid](*arrays(), N)
        assert len(kernel.cache) == 5  # a launch without a chosen target has its own key
        assert len(bench.seen) > timed + 2

    def test_one_configuration_is_not_timed(self):
        def refuse(run, quantiles):
            raise AssertionError

        kernel = hocket.autotune(blocks(64), do_bench=refuse)(hocket.jit(add_one))
        x, out = arrays()
        kernel[grid](x, out, N)
        assert out[5] == 6 and kernel.best_config.kwargs == {"BLOCK": 64}
        assert kernel.explain() == "add_one has one configuration left to choose from: BLOCK=64, num_warps=4"

    @pytest.mark.parametrize("target", ["sm_80", "sm_90a", "gfx942", "gfx950"])
    def test_virtual_clocks_on_the_emulator(self, target):
        """Blocks of 64 elements repeat the work per block, and have too few elements for 16 warps."""
        kernel = hocket.autotune([*blocks(64, num_warps=1), *blocks(1024)], key=["n"])(hocket.jit(add_one))
        x, out = arrays(1 << 14)
        with hocket.emulator.target(target):
            kernel[grid](x, out, x.size)
        np.testing.assert_array_equal(out, x + 1)
        assert kernel.best_config.kwargs == {"BLOCK": 1024}
        text = kernel.explain()
        assert re.search(r"[\d,]+ clocks +1\.00 x  BLOCK=1024, num_warps=4", text)
        assert "a model, which orders configurations roughly" in text

    def test_num_warps_reaches_a_parameter_of_that_name_too(self):
        configs = [hocket.Config({}, num_warps=warps) for warps in (1, 8)]
        kernel = hocket.autotune(configs, do_bench=lambda run, quantiles: run())
        kernel = hocket.autotune([configs[1]])(hocket.jit(kernel_of_warps))
        out = np.zeros(256, np.int32)
        kernel[(1,)](out)
        assert (out == 8).all()

    def test_threads_share_one_choice(self):
        kernel, bench = tuned_by({64: 1.0, 128: 2.0})
        threads = [threading.Thread(target=lambda: kernel[grid](*arrays(), N)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(kernel.tunings) == 1
        # Compiled once each, to learn where launches run and then; timed once each; launched eight times.
        assert bench.seen.count(128) == 2 and bench.seen.count(64) == 3 + 8

    def test_warmup_compiles_all(self):
        kernel = hocket.autotune([*blocks(64, 128), *blocks(64, num_warps=64)])(hocket.jit(add_one))
        compiled = kernel.warmup(gl.float32, gl.float32, N, target="gfx950")
        assert [one.target for one in compiled] == ["gfx950", "gfx950"]
        assert kernel.best_config is None


class TestFailures:
    def test_what_does_not_fit_is_left_out_with_its_reason(self):
        kernel = hocket.autotune(blocks(64, 1 << 17), key=["n"])(hocket.jit(needs_shared_memory))
        x, out = arrays(64)
        kernel[(1,)](x, out, 64)
        np.testing.assert_array_equal(out, x + 1)
        (line,) = [line for line in kernel.explain().splitlines() if "failed" in line]
        assert line.startswith("  failed: BLOCK=131072, num_warps=4: ") and "shared memory" in line

    def test_nothing_fits(self):
        kernel = hocket.autotune(blocks(64, 128, num_warps=64))(hocket.jit(add_one))
        with pytest.raises(OutOfResources) as caught:
            kernel[grid](*arrays(), N)
        first, *reasons = str(caught.value).splitlines()
        assert first == "none of the 2 configurations of add_one() can be launched"
        assert reasons[0].startswith("  BLOCK=64, num_warps=64: num_warps=64 makes 2048 threads")

    def test_a_mistake_of_the_kernel_is_raised_as_such(self):
        @hocket.autotune(blocks(64, 128))
        @hocket.jit
        def wrong(x, out, n, BLOCK: gl.constexpr):
            gl.store(out, undefined_name)  # noqa: F821

        with pytest.raises(CompileError, match="undefined_name"):
            wrong[grid](*arrays(), N)

    def test_what_kernels_do_wrong_is_not_hidden(self):
        @hocket.autotune(blocks(64, 128))
        @hocket.jit
        def outside(x, out, n, BLOCK: gl.constexpr):
            gl.store(out + n + BLOCK, 1.0)

        with pytest.raises(hocket.errors.OutOfBoundsError):
            outside[(1,)](*arrays(), N)

    def test_what_is_tuned_is_not_given(self):
        kernel = hocket.autotune(blocks(64, 128))(hocket.jit(add_one))
        for given in ({"BLOCK": 64}, {"num_warps": 8}):
            with pytest.raises(LaunchError, match=f"`{next(iter(given))}` is given, but autotune chooses it"):
                kernel[grid](*arrays(), N, **given)

    @pytest.mark.parametrize(
        ("make", "error", "text"),
        [
            (lambda: hocket.autotune(blocks(64), key=["m"]), ValueError, "key: add_one has no parameter `m`; it has x"),
            (lambda: hocket.autotune(blocks(64), reset_to_zero=["y"]), ValueError, "reset_to_zero: add_one has no"),
            (lambda: hocket.autotune([{"BLOCK": 64}]), TypeError, "autotune takes a list of hocket.Config, which"),
            (lambda: hocket.autotune(blocks(64), prune_configs_by={"k": 3}), ValueError, "prune_configs_by has"),
            (lambda: hocket.autotune(blocks(64), prune_configs_by={"top_k": 0}), ValueError, "top_k must be positive"),
        ],
    )
    def test_wrong_decorators(self, make, error, text):
        with pytest.raises(error, match=text):
            make()(hocket.jit(add_one))

    def test_a_function_that_is_no_kernel(self):
        with pytest.raises(TypeError, match="autotune takes a kernel, not <function add_one"):
            hocket.autotune(blocks(64))(add_one)

    def test_calling_a_tuned_kernel(self):
        with pytest.raises(LaunchError, match="is a kernel: launch it with add_one"):
            hocket.autotune(blocks(64))(hocket.jit(add_one))(1)

    @pytest.mark.parametrize("value", [[1], {"BLOCK": 1, "num_warps": 4}])
    def test_wrong_configurations(self, value):
        with pytest.raises((TypeError, ValueError), match=r"a Config takes a dict|`num_warps` is given in the dict"):
            hocket.Config(value)


class TestHooks:
    def test_arrays_are_restored(self):
        kernel = hocket.autotune(blocks(64, 128), restore_value=["x"])(hocket.jit(increment))
        x, _ = arrays()
        kernel[grid](x, N)
        np.testing.assert_array_equal(x, arrays()[0] + 1)

    def test_arrays_are_reset_to_zero(self):
        kernel = hocket.autotune(blocks(64, 128), reset_to_zero=["x"])(hocket.jit(increment))
        x, _ = arrays()
        kernel[grid](x, N)
        assert (x == 1).all()

    def test_the_users_hooks_are_called_in_pairs(self):
        calls = []

        def before(args, reset_only=False):
            calls.append(("before", args["BLOCK"], reset_only))

        def after(args, exception=None):
            calls.append(("after", args["BLOCK"], exception))

        kernel = hocket.autotune(
            blocks(64, 128), pre_hook=before, post_hook=after, do_bench=lambda run, quantiles: run() or [1.0, 1.0, 1.0]
        )(hocket.jit(increment))
        kernel[grid](arrays()[0], N)
        runs = [(what, block, flag) for block in (64, 128) for what, flag in (("before", False), ("after", None))]
        assert calls == [*runs, ("before", 64, True)]

    def test_after_is_told_of_errors(self):
        errors = []
        kernel = hocket.autotune(blocks(64, 128), post_hook=lambda args, exception=None: errors.append(exception))
        kernel = kernel(hocket.jit(add_one))
        x, _ = arrays()
        readonly = x.copy()
        readonly.flags.writeable = False
        with pytest.raises(hocket.errors.ReadOnlyArrayError):
            kernel[grid](x, readonly, N)
        assert [type(error).__name__ for error in errors] == ["ReadOnlyArrayError"]


class TestPruning:
    def run(self, **prune):
        bench = Bench({64: 1.0, 128: 2.0, 256: 3.0})
        configs = [
            hocket.Config({"BLOCK": block}, pre_hook=lambda args: bench.seen.append(args["BLOCK"]))
            for block in (64, 128, 256)
        ]
        kernel = hocket.autotune(configs, key=["n"], do_bench=bench, prune_configs_by=prune)(hocket.jit(add_one))
        kernel[grid](*arrays(), N)
        return kernel, set(bench.seen)

    def test_by_the_users_rule(self):
        def large(configs, named_args, **kwargs):
            assert named_args["n"] == N
            return [config for config in configs if config.kwargs["BLOCK"] > 64]

        kernel, seen = self.run(early_config_prune=large)
        assert seen == {128, 256} and kernel.best_config.kwargs == {"BLOCK": 128}
        assert "2 of 2 configurations ran, 1 were pruned" in kernel.explain()

    @pytest.mark.parametrize(("top_k", "left"), [(2, {128, 256}), (0.67, {128, 256}), (1.0, {64, 128, 256})])
    def test_by_a_model(self, top_k, left):
        _, seen = self.run(perf_model=lambda n, BLOCK, num_warps, **rest: -BLOCK, top_k=top_k)
        assert seen == left

    def test_nothing_is_left(self):
        with pytest.raises(ValueError, match="early_config_prune has left no configuration"):
            self.run(early_config_prune=lambda configs, named_args, **kwargs: [])


class TestHeuristics:
    def test_values_follow_arguments(self):
        kernel = hocket.heuristics({"BLOCK": lambda args: hocket.next_power_of_2(args["n"])})(hocket.jit(add_one))
        x, out = arrays()
        compiled = kernel[(1,)](x, out, N)
        assert compiled.arguments["BLOCK"] == "= 1024"
        np.testing.assert_array_equal(out, x + 1)

    @pytest.mark.parametrize("given", [(N, 64), (N, 1024)])
    @pytest.mark.parametrize("by_name", [True, False])
    def test_a_value_that_is_given_gives_way(self, given, by_name):
        """The function receives the value among the arguments, as in Triton."""
        seen = []
        kernel = hocket.heuristics({"BLOCK": lambda args: seen.append(args["BLOCK"]) or 1024})(hocket.jit(add_one))
        x, out = arrays()
        n, block = given
        compiled = kernel[(1,)](x, out, n, BLOCK=block) if by_name else kernel[(1,)](x, out, n, block)
        assert seen == [block] and compiled.arguments["BLOCK"] == "= 1024"
        np.testing.assert_array_equal(out, x + 1)

    @pytest.mark.parametrize("is_outside", [True, False])
    def test_with_autotune(self, is_outside):
        tune = hocket.autotune([hocket.Config({}, num_warps=warps) for warps in (1, 2)], key=["n"])
        choose = hocket.heuristics({"BLOCK": lambda args: 2 * hocket.next_power_of_2(args["n"])})
        kernel = hocket.jit(add_one)
        kernel = choose(tune(kernel)) if is_outside else tune(choose(kernel))
        x, out = arrays()
        kernel[(1,)](x, out, N)
        np.testing.assert_array_equal(out, x + 1)

    def test_a_value_is_a_function(self):
        with pytest.raises(TypeError, match="heuristics: `BLOCK` needs a function of the arguments, not 64"):
            hocket.heuristics({"BLOCK": 64})(hocket.jit(add_one))
