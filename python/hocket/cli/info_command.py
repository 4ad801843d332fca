"""`hocket info`: versions, targets and devices, and commands to try next."""

from __future__ import annotations

import argparse
import json
import platform
import re
import subprocess
from typing import Any

from .. import __version__
from ..errors import LaunchError

#: Commands that work in this order wherever the package is installed, with or without a GPU.
_NEXT = (
    "hocket examples --all",
    "hocket check ring_check.py::wrong_ring --target gfx950",
    "hocket profile profiled_gemm.py::blocking_loads --explain",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: argparse.Namespace) -> int:
    facts = _facts()
    print(json.dumps(facts, indent=2) if arguments.json else _text(facts))
    return 0


def _facts() -> dict[str, Any]:
    from .. import _core
    from ..runtime import compiler, environment

    compiler.find_assembler()
    directory = environment.cache_directory()
    return {
        "version": __version__,
        "build": _core.build_id(),
        "llvm": _core.llvm_version,
        "python": platform.python_version(),
        "platform": platform.platform(terse=True),
        "assembler": _core.cubin_assembler() or None,
        "budget_assembler": _with_version(_core.cubin_assembler("setmaxnreg.")) or None,
        "cache": None if directory is None else str(directory),
        "targets": [
            {
                "name": target.name,
                "family": target.family,
                "warp_size": target.warp_size,
                "shared_bytes": target.max_shared_bytes,
                "artifacts": _core.artifacts(target.name),
            }
            for target in _core.targets()
        ],
        "devices": [device for platform in (_core.cuda, _core.hip) for device in _devices(platform)],
        "why_no_device": _core.why_no_device(),
    }


def _with_version(assembler: str) -> str:
    """Returns the description of a `ptxas`, with the version that it reports."""
    path = assembler.removeprefix("ptxas (").removesuffix(")")
    if path == assembler:
        return assembler
    try:
        told = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=10).stdout
    except (OSError, subprocess.TimeoutExpired):
        return assembler
    version = re.search(r"V(\d[\d.]*)", told)
    return f"ptxas {version[1]} ({path})" if version else assembler


def _devices(platform: Any) -> list[dict[str, Any]]:
    """Returns an entry for each GPU of a platform's driver: its name and target, or the reason why it cannot be
    used."""
    devices = []
    for ordinal in range(platform.device_count):
        device: dict[str, Any] = {"device": f"{platform.name}:{ordinal}"}
        try:
            info = platform.device_info(ordinal)
            device |= {
                "name": info.name,
                "multiprocessors": info.multiprocessors,
                "memory_bytes": info.memory_bytes,
                "runs": info.target,
            }
        except LaunchError as error:
            device["problem"] = str(error)
        devices.append(device)
    return devices


def _text(facts: dict[str, Any]) -> str:
    lines = [
        f"hocket     {facts['version']}, build {facts['build'][:16]}",
        f"LLVM       {facts['llvm']}",
        f"Python     {facts['python']} on {facts['platform']}",
        f"assembler  {facts['assembler'] or 'none for cubins: the driver compiles PTX'}",
        f"           {facts['budget_assembler'] or 'none'} for kernels with register budgets",
        f"cache      {facts['cache'] or 'off'}",
        "targets",
    ]
    for target in facts["targets"]:
        size = f"warps of {target['warp_size']}, {target['shared_bytes'] // 1024} KiB shared memory per block"
        lines.append(f"  {target['name']:<9}{target['family']:<8} {size}; emits {', '.join(target['artifacts'])}")
    lines.append("devices")
    lines += map(_device_line, facts["devices"])
    if not facts["devices"]:
        lines.append(f"  none: {facts['why_no_device']}; every target runs on the emulator")
    return "\n".join([*lines, "try next, in an empty folder", *(f"  {command}" for command in _NEXT)])


def _device_line(device: dict[str, Any]) -> str:
    if "problem" in device:
        return f"  {device['device']:<9} {device['problem']}"
    size = f"{device['memory_bytes'] / 2**30:.0f} GiB"
    facts = f"{device['name']}, {device['multiprocessors']} multiprocessors, {size}, runs {device['runs']}"
    return f"  {device['device']:<9} {facts}"
