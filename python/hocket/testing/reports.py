"""Tables and plots of performance: `Benchmark` describes the measurements, `perf_report` runs them."""

from __future__ import annotations

import math
import pathlib
from collections.abc import Callable, Sequence
from typing import Any


class Benchmark:
    """Description of a figure: its axes and its lines.

    Args:
        x_names: arguments of the function that get the value of the x axis. All arguments in `x_names` get the same
            value, unless `x_vals` has tuples.
        x_vals: values of the x axis; a tuple has one value for each argument in `x_names`.
        line_arg: the argument of the function that distinguishes lines.
        line_vals, line_names: the value of `line_arg` for each line, and the name of each line.
        plot_name: name of the figure, and of the files of the figure.
        args: the other arguments of the function.
        xlabel, ylabel: labels of the axes.
        x_log, y_log: whether an axis is logarithmic.
        styles: (color, style) of each line, in matplotlib's notation.
    """

    def __init__(
        self,
        x_names: Sequence[str],
        x_vals: Sequence[Any],
        line_arg: str,
        line_vals: Sequence[Any],
        line_names: Sequence[str],
        plot_name: str,
        args: dict[str, Any],
        xlabel: str = "",
        ylabel: str = "",
        x_log: bool = False,
        y_log: bool = False,
        styles: Sequence[tuple[str, str]] | None = None,
    ):
        lists = {"x_names": x_names, "x_vals": x_vals, "line_vals": line_vals, "line_names": line_names}
        for name, value in lists.items():
            if isinstance(value, str) or not hasattr(value, "__len__") or not hasattr(value, "__iter__"):
                raise TypeError(f"Benchmark: {name} must be a list, not {value!r}")
        texts = {"line_arg": line_arg, "plot_name": plot_name, "xlabel": xlabel, "ylabel": ylabel}
        for name, value in texts.items():
            if not isinstance(value, str):
                raise TypeError(f"Benchmark: {name} must be a text, not {value!r}")
        if not isinstance(args, dict):
            raise TypeError(f"Benchmark: args must be a dict of the function's other arguments, not {args!r}")
        if styles is not None and not isinstance(styles, list | tuple):
            raise TypeError(f"Benchmark: styles must be a list of (color, style), not {styles!r}")
        if len(line_vals) != len(line_names):
            raise ValueError(f"{len(line_vals)} line_vals have {len(line_names)} line_names")
        self.x_names = list(x_names)
        self.x_vals = list(x_vals)
        self.line_arg = line_arg
        self.line_vals = list(line_vals)
        self.line_names = list(line_names)
        self.plot_name = plot_name
        self.args = dict(args)
        self.xlabel = xlabel or ", ".join(self.x_names)
        self.ylabel = ylabel
        self.x_log = x_log
        self.y_log = y_log
        self.styles = list(styles) if styles else None

    def points(self) -> list[dict[str, Any]]:
        """Returns the arguments of the function for each value of the x axis."""
        points = []
        for value in self.x_vals:
            values = list(value) if isinstance(value, tuple | list) else [value] * len(self.x_names)
            if len(values) != len(self.x_names):
                raise ValueError(f"{value!r} of x_vals has {len(values)} values for x_names {self.x_names}")
            points.append(dict(zip(self.x_names, values, strict=True)))
        return points


#: Result of a benchmarked function at one point: a number, and its lower and upper bounds.
Measured = tuple[float, float, float]


class BenchmarkReport:
    """A function with its benchmarks. `run` measures the benchmarks and shows the results."""

    def __init__(self, fn: Callable[..., Any], benchmarks: Benchmark | Sequence[Benchmark]):
        self.fn = fn
        self.is_single = isinstance(benchmarks, Benchmark)
        self.benchmarks = [benchmarks] if isinstance(benchmarks, Benchmark) else list(benchmarks)

    def run(
        self,
        show_plots: bool = False,
        print_data: bool = False,
        save_path: str | pathlib.Path = "",
        return_df: bool = False,
        **kwargs: Any,
    ) -> Any:
        """Measures every point of every line.

        Args:
            show_plots: draw with matplotlib, and show the figures.
            print_data: print a table for each benchmark.
            save_path: a folder for a .csv and a .png file of each benchmark, and for results.html. Without matplotlib,
                there are no .png files.
            return_df: return pandas data frames: one for a single benchmark, otherwise a list.
            kwargs: further arguments of the function.
        """
        tables = [self._measure(benchmark, kwargs) for benchmark in self.benchmarks]
        for benchmark, table in zip(self.benchmarks, tables, strict=True):
            if print_data:
                print(f"{benchmark.plot_name}:\n{_text(benchmark, table)}")
            if save_path:
                _save(benchmark, table, pathlib.Path(save_path))
            if show_plots:
                _figure(benchmark, table).show()
        if save_path:
            images = "".join(f'<img src="{benchmark.plot_name}.png"/>\n' for benchmark in self.benchmarks)
            (pathlib.Path(save_path) / "results.html").write_text(f"<html><body>\n{images}</body></html>\n")
        if not return_df:
            return None
        frames = [_frame(*pair) for pair in zip(self.benchmarks, tables, strict=True)]
        return frames[0] if self.is_single else frames

    def _measure(self, benchmark: Benchmark, kwargs: dict[str, Any]) -> list[list[Measured]]:
        """Measures every line at every point. Returns a row for each point, with a result for each line."""
        table = []
        for point in benchmark.points():
            row = []
            for value in benchmark.line_vals:
                given = {**point, benchmark.line_arg: value, **benchmark.args, **kwargs}
                row.append(_measured(self.fn(**given)))
            table.append(row)
        return table


def perf_report(benchmarks: Benchmark | Sequence[Benchmark]) -> Callable[[Callable[..., Any]], BenchmarkReport]:
    """Decorator for functions that measure a point; their `run` method makes tables and figures.

    The function returns a number, or (number, low, high).

    Example:
        @perf_report(Benchmark(["n"], [2**i for i in range(12, 28)], "provider", ["hocket", "torch"],
                               ["Hocket", "PyTorch"], plot_name="add", args={}, ylabel="GB/s", x_log=True))
        def bandwidth(n, provider): ...

        bandwidth.run(print_data=True)
    """
    return lambda fn: BenchmarkReport(fn, benchmarks)


def _measured(result: Any) -> Measured:
    if isinstance(result, tuple | list):
        middle, low, high = (*result, None, None)[:3]
    else:
        middle, low, high = result, None, None
    middle = math.nan if middle is None else float(middle)
    return middle, middle if low is None else float(low), middle if high is None else float(high)


def _columns(benchmark: Benchmark) -> list[str]:
    unit = f" ({benchmark.ylabel})" if benchmark.ylabel else ""
    return [*benchmark.x_names, *(name + unit for name in benchmark.line_names)]


def _rows(benchmark: Benchmark, table: list[list[Measured]]) -> list[list[Any]]:
    points = benchmark.points()
    return [[*point.values(), *(entry[0] for entry in row)] for point, row in zip(points, table, strict=True)]


def _text(benchmark: Benchmark, table: list[list[Measured]]) -> str:
    rows = [_columns(benchmark)]
    rows += [[f"{v:.6g}" if isinstance(v, float) else str(v) for v in row] for row in _rows(benchmark, table)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  ".join(f"{cell:>{width}}" for cell, width in zip(row, widths, strict=True)) for row in rows)


def _save(benchmark: Benchmark, table: list[list[Measured]], folder: pathlib.Path) -> None:
    import csv
    import importlib.util

    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / f"{benchmark.plot_name}.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(_columns(benchmark))
        writer.writerows(_rows(benchmark, table))
    if importlib.util.find_spec("matplotlib") is not None:
        _figure(benchmark, table).savefig(folder / f"{benchmark.plot_name}.png")


def _figure(benchmark: Benchmark, table: list[list[Measured]]) -> Any:
    from matplotlib import pyplot

    figure, axes = pyplot.subplots()
    xs = [next(iter(point.values())) for point in benchmark.points()]
    for i, name in enumerate(benchmark.line_names):
        middle, low, high = zip(*(row[i] for row in table), strict=True)
        color, style = benchmark.styles[i] if benchmark.styles else (None, None)
        (line,) = axes.plot(xs, middle, label=name, color=color, linestyle=style)
        if low != middle or high != middle:
            axes.fill_between(xs, low, high, alpha=0.15, color=line.get_color())
    axes.set(xlabel=benchmark.xlabel, ylabel=benchmark.ylabel, title=benchmark.plot_name)
    axes.set_xscale("log" if benchmark.x_log else "linear")
    axes.set_yscale("log" if benchmark.y_log else "linear")
    axes.legend()
    return figure


def _frame(benchmark: Benchmark, table: list[list[Measured]]) -> Any:
    try:
        import pandas
    except ImportError:
        raise RuntimeError("return_df=True needs pandas, which is not installed: print_data=True prints") from None
    return pandas.DataFrame(_rows(benchmark, table), columns=_columns(benchmark))
