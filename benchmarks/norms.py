"""Compares `hocket.kernels.norms` with PyTorch, torch.compile, a Triton kernel in the form of its tutorial, quack,
Liger and cuDNN.

    python benchmarks/norms.py --records norms.json                       # all chunks, most informative first
    python benchmarks/norms.py --records norms.json --only wide,forward   # these chunks; skips cases in the file
    python benchmarks/norms.py --shapes 16384x4096 --ops rms_norm_backward --variants 20 --records variants.json
    python benchmarks/norms.py --fit norms.json variants.json             # without a GPU and PyTorch
    python benchmarks/norms.py --plot norms.json                          # docs/pictures/norms_*.svg, and tables
    python benchmarks/norms.py --only main,softmax --json results.json    # the figures of README.md

The rates in TB/s count each matrix of R rows and H columns once: 3 R H elements for backward, and 2 R H for forward.
Each implementation is captured in a CUDA graph and replayed; the L2 is flushed before each replay; times are medians of
interleaved runs. Inputs are normal-distributed. For each variant that supports a shape, the benchmark runs the plans
that are best by the model; `--variants` or the chunk determines their number. "auto" is the plan that `norms.choose`
returns. `--fit` prints the constants of `predict.py` that minimize the error of predicted times, and compares the plans
that these constants choose with the fastest measured plans.
"""

import argparse
import statistics
import sys
import time

from results import GRAPHS, NORMAL, Results

BACKWARD = ("rms_norm_backward", "layer_norm_backward")
FORWARD = ("rms_norm", "layer_norm")
PEERS = ("torch", "triton", "quack", "liger", "cudnn", "compile")

#: SHAPES: the shapes of the chunk "main". COLUMNS, SWEEP: further shapes, including odd numbers of columns.
SHAPES = ((16384, 4096), (16384, 8192), (16384, 1024), (8192, 16384))
COLUMNS = (2048, 4096, 8192, 1024, 6144, 16384, 12288, 4095, 32768, 1023, 5120, 768, 24576)
SWEEP = tuple(
    (rows, columns)
    for columns in COLUMNS
    for rows in (32768, 8192, 2048)
    if rows * columns <= 1 << 29 and (rows, columns) not in SHAPES
)
WIDE = ((8192, 24576), (8192, 32768), (8192, 16384), (2048, 32768), (8192, 20480))
MANY = ((16384, 4096), (16384, 8192), (8192, 16384), (32768, 2048), (16384, 1024), (8192, 6144), (8192, 12288))

#: Chunks of measurements by name: (operations, shapes, number of plans of each variant, peers).
CHUNKS = {
    "wide": (BACKWARD, WIDE, 6, ("torch", "quack")),
    "forward": (("rms_norm",), (*MANY, (8192, 24576), (8192, 32768)), 5, ("quack", "triton")),
    "softmax": (("softmax",), SHAPES, 0, ("torch", "quack", "triton")),
    "streams": (("rms_norm",), SHAPES, -1, ("quack",)),
    "compile": (("rms_norm_backward",), SHAPES, 1, ("compile", "torch", "triton", "liger")),
    "forward layer": (("layer_norm",), (*MANY[:3], (8192, 24576)), 4, ("quack", "triton")),
    "backward": (BACKWARD, MANY, 4, ("quack",)),
    "cudnn": (BACKWARD + FORWARD, (*SHAPES, (8192, 32768), (32768, 2048), (4096, 5120)), 1, ("cudnn",)),
    "main": (BACKWARD + FORWARD, SHAPES, 1, ("torch", "triton", "quack", "liger", "cudnn")),
    "compile layer": (("layer_norm_backward",), SHAPES[:3], 1, ("compile",)),
    "sweep backward": (BACKWARD, SWEEP, 1, ("torch", "triton", "quack", "liger")),
    "sweep forward": (FORWARD, SWEEP, 1, ("torch", "triton", "quack", "liger")),
}


def work_of(options):
    """Returns the cases to measure, in order: (chunk, operation, rows, columns, number of plans of each variant,
    peers)."""
    if options.shapes:
        shapes = [tuple(map(int, shape.split("x"))) for shape in options.shapes.split(",")]
        ops = (options.ops or ",".join(BACKWARD + FORWARD)).split(",")
        peers = tuple(options.peers.split(",")) if options.peers else ()
        return [("given", op, *shape, options.variants, peers) for op in ops for shape in shapes]
    work = []
    for chunk in options.only.split(",") if options.only else CHUNKS:
        ops, shapes, variants, peers = CHUNKS[chunk.strip()]
        if options.peers is not None:
            peers = tuple(filter(None, options.peers.split(",")))
        variants = options.variants if options.variants is not None else variants
        ops = [op for op in ops if not options.ops or op in options.ops.split(",")]
        work += [(chunk.strip(), op, *shape, variants, peers) for shape in shapes for op in ops]
    return work


#: Names of peers in tables. The name of a softmax implementation may end with a number of warps, as in "triton 8".
NAMES = {
    "torch": "PyTorch",
    "compile": "torch.compile",
    "triton": "Triton",
    "quack": "quack",
    "liger": "Liger",
    "cudnn": "cuDNN",
}
TITLES = {
    "rms_norm": "RMSNorm forward, 2 R H elements",
    "layer_norm": "LayerNorm forward, 2 R H elements",
    "rms_norm_backward": "RMSNorm backward, 3 R H elements",
    "layer_norm_backward": "LayerNorm backward, 3 R H elements",
    "softmax": "softmax, 2 R H elements; the best number of warps",
}


def add_tables(results, records):
    """Adds a table for each operation to `results`: the plan that `choose` returns, and the peers. The median is used
    for repeated measurements."""
    cases = {}
    for record in records:
        if "plan" in record and not record["is_auto"]:
            continue
        case = record["op"], record["rows"], record["columns"], record["dtype"]
        runs = cases.setdefault(case, {}).setdefault("Hocket" if "plan" in record else record["rival"], [])
        runs.append((record["seconds"], record["terabytes_per_second"]))
    for op, title in TITLES.items():
        table = results.table(op, title, "TB/s")
        for (_, rows, columns, dtype), runs in [item for item in cases.items() if item[0][0] == op]:
            best = {}
            for rival, pairs in runs.items():
                word = rival.split()[0]
                name = "Hocket" if word == "hocket" else NAMES.get(word, word)
                median = statistics.median_low(pairs)  # the measurement with the median time
                best[name] = min(best.get(name, median), median)
            table.add(
                f"{dtype} {rows}x{columns}",
                {name: rate for name, (_, rate) in best.items()},
                seconds={name: seconds for name, (seconds, _) in best.items()},
                dtype=dtype,
                rows=rows,
                columns=columns,
            )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=600, help="seconds after which no shape begins")
    parser.add_argument("--only", help=f"chunks, of: {', '.join(CHUNKS)}")
    parser.add_argument("--shapes", help="instead of chunks, such as 16384x4096,8192x16384")
    parser.add_argument("--ops", help=f"of {', '.join(BACKWARD + FORWARD)}, softmax")
    parser.add_argument("--dtype", default="bfloat16")
    parser.add_argument("--peers", help=f"of {', '.join(PEERS)}; compile takes long")
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--variants", type=int, help="plans of each schedule, the best ones by the model; 0: no plans")
    parser.add_argument("--records", metavar="FILE", help="continue from this file of records, and write all to it")
    parser.add_argument("--fit", nargs="+", metavar="RECORDS", help="fit the model to records; needs no GPU")
    parser.add_argument("--plot", nargs="+", metavar="RECORDS", help="draw figures, and print tables; needs no GPU")
    results = Results("norms", inputs=NORMAL, method=GRAPHS)
    results.add_option(parser)
    options = parser.parse_args()
    started = time.monotonic()
    if options.fit:
        from norms_fit import fit

        return fit(options.fit)
    if options.plot:
        from norms_plot import plot

        return plot(options.plot)
    if options.shapes and options.variants is None:
        options.variants = 1
    unknown = {chunk.strip() for chunk in (options.only or "").split(",") if chunk} - set(CHUNKS)
    if unknown:
        sys.exit(f"no chunk {', '.join(unknown)}; there are {', '.join(CHUNKS)}")
    from norms_measure import run_all

    records = run_all(work_of(options), options, started)
    add_tables(results, records)
    results.save(options)


if __name__ == "__main__":
    main()
