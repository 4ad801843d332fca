"""Mistakes with hocket.autotune, Config and heuristics, and their messages."""

import numpy as np
import pytest

import hocket
from hocket import Config, LaunchError
from hocket import language as gl


@hocket.jit
def add_one(x, out, n, BLOCK: gl.constexpr, flag=0):
    i = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK)
    gl.store(out + i, gl.load(x + i, i < n) + 1, i < n)


TWO = [Config({"BLOCK": 64}), Config({"BLOCK": 128})]
CONFIGS = 'hint: write [hocket.Config({"BLOCK": 512}), hocket.Config({"BLOCK": 1024}, num_warps=8)]'
OPTIONS = (
    "num_warps, num_ctas, num_stages, warp_pipeline, stage_choice, maxnreg, enable_fp_fusion, keep_waits, skip_passes, "
    "debug, sanitize_overflow, waves_per_eu, launch_cooperative_grid, launch_pdl, profile"
)


def launch(kernel, *given, **named):
    x, out = np.arange(1000, dtype=np.float32), np.zeros(1000, np.float32)
    kernel[lambda meta: (hocket.cdiv(meta["n"], meta["BLOCK"]),)](x, out, 1000, *given, **named)


def tuned(configs=TWO, kernel=add_one, **options):
    return hocket.autotune(configs, cache_results=False, **options)(kernel)


def pruned(**rules):
    launch(tuned(prune_configs_by=rules))


def no_list(configs=None, named_args=None, **kwargs):
    return None


def one_argument(argument):
    return argument


def zero(**kwargs):
    return 0


#: Function to call, the type of the error, and its message.
MISTAKES = {
    "no configurations": (
        lambda: hocket.autotune(add_one),
        TypeError,
        "autotune takes a list of hocket.Config, not JITFunction(test_tuning_errors.add_one)\n  " + CONFIGS,
    ),
    "one configuration without a list": (
        lambda: tuned(TWO[0]),
        TypeError,
        "autotune takes a list of hocket.Config, not BLOCK=64, num_warps=4\n  " + CONFIGS,
    ),
    "dicts for configurations": (
        lambda: tuned([{"BLOCK": 64}]),
        TypeError,
        "autotune takes a list of hocket.Config, which holds {'BLOCK': 64}\n  " + CONFIGS,
    ),
    "a key that is a text": (
        lambda: tuned(key="n"),
        TypeError,
        "key takes a list of names, not 'n'\n  hint: write ['n']",
    ),
    "a key that is not a parameter": (
        lambda: tuned(key=["m"]),
        ValueError,
        "key: add_one has no parameter `m`; it has x, out, n, BLOCK, flag",
    ),
    "names that are a number": (
        lambda: tuned(reset_to_zero=3),
        TypeError,
        "reset_to_zero takes a list of names, not 3",
    ),
    "rules for pruning in a list": (
        lambda: tuned(prune_configs_by=[zero]),
        TypeError,
        f"prune_configs_by takes a dict, not [{zero!r}]",
    ),
    "a rule for pruning that is not a function": (
        lambda: tuned(prune_configs_by={"early_config_prune": 5}),
        TypeError,
        "early_config_prune must be a function, not 5",
    ),
    "a share of more than all": (
        lambda: tuned(prune_configs_by={"perf_model": zero, "top_k": 2.5}),
        ValueError,
        "top_k must be positive, a number of configurations or a fraction up to 1.0, but is 2.5",
    ),
    "a share that is a text": (
        lambda: tuned(prune_configs_by={"perf_model": zero, "top_k": "all"}),
        ValueError,
        "top_k must be positive, a number of configurations or a fraction up to 1.0, but is 'all'",
    ),
    "pruning that returns nothing": (
        lambda: pruned(early_config_prune=no_list),
        TypeError,
        "early_config_prune must return a list of hocket.Config, not None",
    ),
    "pruning that takes no arguments": (
        lambda: pruned(early_config_prune=one_argument),
        TypeError,
        "early_config_prune is called as early_config_prune(configs, named_args, **kwargs), which "
        "one_argument(argument) does not take: too many positional arguments",
    ),
    "a model that returns nothing": (
        lambda: pruned(perf_model=lambda **kwargs: None, top_k=1),
        ValueError,
        "perf_model must return a number, but returned None for BLOCK=64, num_warps=4",
    ),
    "a model that returns no number": (
        lambda: pruned(perf_model=lambda **kwargs: float("nan"), top_k=1),
        ValueError,
        "perf_model must return a number, but returned nan for BLOCK=64, num_warps=4",
    ),
    "a model that takes one argument": (
        lambda: pruned(perf_model=one_argument, top_k=1),
        TypeError,
        "perf_model is called as perf_model(x=..., out=..., n=..., BLOCK=..., num_warps=..., num_ctas=...), which "
        "one_argument(argument) does not take: missing a required argument: 'argument'",
    ),
    "resetting a number": (
        lambda: launch(tuned(reset_to_zero=["n"])),
        LaunchError,
        "add_one(): reset_to_zero names `n`, which is 1000: it needs names of arrays",
    ),
    "restoring a number": (
        lambda: launch(tuned(restore_value=["n"])),
        LaunchError,
        "add_one(): restore_value names `n`, which is 1000: it needs names of arrays",
    ),
    "a hook that is not a function": (
        lambda: tuned(pre_hook=3),
        TypeError,
        "pre_hook must be a function, not 3",
    ),
    "a hook that takes one argument": (
        lambda: tuned(pre_hook=one_argument),
        TypeError,
        "pre_hook is called as pre_hook(named_args, reset_only=False), which one_argument(argument) does not take: "
        "got an unexpected keyword argument 'reset_only'",
    ),
    "a last hook that takes one argument": (
        lambda: tuned(post_hook=one_argument),
        TypeError,
        "post_hook is called as post_hook(named_args, exception=None), which one_argument(argument) does not take: "
        "got an unexpected keyword argument 'exception'",
    ),
    "timing without quantiles": (
        lambda: tuned(do_bench=one_argument),
        TypeError,
        "do_bench is called as do_bench(run, quantiles=(...)), which one_argument(argument) does not take: "
        "got an unexpected keyword argument 'quantiles'",
    ),
    "timing that returns nothing": (
        lambda: launch(tuned(do_bench=lambda run, quantiles: run())),
        ValueError,
        "do_bench must return milliseconds, one number or one for each quantile, not None",
    ),
    "timing that returns no number": (
        lambda: launch(tuned(do_bench=lambda run, quantiles: [float("nan")] * 3)),
        ValueError,
        "do_bench must return milliseconds, one number or one for each quantile, not [nan, nan, nan]",
    ),
    "a time that is a text": (
        lambda: tuned(warmup="25"),
        ValueError,
        "warmup must be a number of milliseconds, not '25'",
    ),
    "a parameter outside of the dict": (
        lambda: Config(BLOCK=64, STAGES=3),
        TypeError,
        "Config has no argument `BLOCK`: it has kwargs, num_warps, num_stages, num_ctas, maxnreg, pre_hook\n"
        '  hint: parameters of the kernel go into its dict: Config({"BLOCK": 64, "STAGES": 3})',
    ),
    "a number for a name": (
        lambda: Config({64: "BLOCK"}),
        TypeError,
        "the dict of a Config has names of parameters as keys, not 64",
    ),
    "an array for a key": (
        lambda: launch(tuned(key=["x"])),
        LaunchError,
        "add_one(): the key of autotune, x, has a value that cannot be hashed",
    ),
    "heuristics in a list": (
        lambda: hocket.heuristics([zero])(add_one),
        TypeError,
        f"heuristics takes a dict, not [{zero!r}]\n"
        '  hint: write @hocket.heuristics({"BLOCK": lambda args: hocket.next_power_of_2(args["n"])})',
    ),
    "heuristics without a call": (
        lambda: hocket.heuristics(add_one),
        TypeError,
        f"heuristics takes a dict, not {add_one!r}\n"
        '  hint: write @hocket.heuristics({"BLOCK": lambda args: hocket.next_power_of_2(args["n"])})',
    ),
    "heuristics of another name": (
        lambda: hocket.heuristics({"BLCK": one_argument})(add_one),
        ValueError,
        "heuristics: add_one has no parameter or launch option `BLCK`\n"
        f"  parameters: x, out, n, BLOCK, flag\n  options: {OPTIONS}",
    ),
    "heuristics of no argument": (
        lambda: hocket.heuristics({"BLOCK": lambda: 64})(add_one),
        TypeError,
        "heuristics: `BLOCK` is called as a function of one dict, which <lambda>() does not take: too many positional "
        "arguments",
    ),
    "a function that is not a kernel": (
        lambda: tuned(kernel=one_argument),
        TypeError,
        f"autotune takes a kernel, not {one_argument!r}\n"
        "  hint: write @hocket.jit directly above `def`, below this decorator",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(name):
    write, kind, message = MISTAKES[name]
    with pytest.raises(kind) as caught:
        write()
    assert str(caught.value) == message


def test_an_array_that_is_left_out_is_not_reset():
    """`flag` has a default, and this launch does not pass it."""
    launch(tuned(reset_to_zero=["flag"], restore_value=["flag"]))
