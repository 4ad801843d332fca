"""Programs that tests draw at random, as modules: `@jit` reads a kernel's source from its file."""

import functools
import importlib.util


def load(path, source):
    """Writes `source` to `path` and imports it."""
    path.write_text(source)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def by_lanes(draw, folder, header, count):
    """Lanes per warp -> (module, programs), drawn once each. The kernels of all `count` programs are one file.

    `draw(name, seed, lanes)` returns a program with a `source`.
    """

    @functools.cache
    def programs_of(lanes):
        programs = [draw(f"program_{seed}", seed, lanes) for seed in range(count)]
        path = folder / f"programs_{lanes}.py"
        return load(path, header + "".join(program.source for program in programs)), programs

    return programs_of
