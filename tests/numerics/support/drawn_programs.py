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


def drawn_once(draw, folder, header, count):
    """Returns a function that generates the (module, programs) of a kind, a target or a number of lanes, once each. The
    kernels of all `count` programs are in one file.

    `draw(name, seed, kind)` returns a program with a `source`.
    """

    @functools.cache
    def programs_of(kind):
        programs = [draw(f"program_{seed}", seed, kind) for seed in range(count)]
        path = folder / f"programs_{kind}.py"
        return load(path, header + "".join(program.source for program in programs)), programs

    return programs_of


def target_of(device):
    """The target whose layouts programs for a device may have."""
    return {"cuda": "sm_90a", "hip": "gfx942"}[device.name] if device.is_gpu else device.target
