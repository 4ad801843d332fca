"""tools/check_layering.py on this tree, and on small trees and packages that break each rule."""

import pathlib
import subprocess
import sys
import tempfile

import pytest

pytestmark = pytest.mark.quick

ROOT = pathlib.Path(__file__).resolve().parents[2]


def run_check(root):
    command = [sys.executable, str(ROOT / "tools" / "check_layering.py"), str(root)]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode, done.stdout


def check_file(name, text):
    """The check's answer on a tree of this one file of csrc/."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "csrc", name)
        path.parent.mkdir(parents=True)
        path.write_text(text)
        return run_check(folder)


def test_this_tree_is_layered():
    assert run_check(ROOT) == (0, "")


def test_include_of_a_folder_to_the_right():
    status, output = check_file(
        "layout/Bad.h", '#pragma once\n#include "support/Hash.h"\n#include "dialect/hk/ir/HkDialect.h"\n'
    )
    assert status == 1
    assert output == "csrc/layout/Bad.h:3: layout must not include dialect (it may include support)\n"


def test_include_of_mlir_in_the_runtime():
    status, output = check_file("runtime/Bad.cpp", '#include "mlir/IR/Builders.h"\n')
    assert status == 1
    assert output.startswith("csrc/runtime/Bad.cpp:1: runtime must not include mlir (only dialect, ")


def test_the_gil_is_released_in_one_place():
    status, output = check_file("bindings/Bad.cpp", "py::gil_scoped_release release;\n")
    assert status == 1
    why = "a process that ends would unwind it; write WithoutGil"
    assert output == f"csrc/bindings/Bad.cpp:1: gil_scoped_release is for bindings/Presence.h alone: {why}\n"


def test_include_between_back_ends():
    status, output = check_file(
        "conversion/hk_nv_to_nvvm/Bad.cpp", '#include "conversion/hk_amd_to_rocdl/RocdlTargetLowering.h"\n'
    )
    assert status == 1
    problem = "conversion/hk_nv_to_nvvm must not include conversion/hk_amd_to_rocdl"
    assert output == f"csrc/conversion/hk_nv_to_nvvm/Bad.cpp:1: {problem}\n"


def test_include_between_subfolders():
    order = "the order is values <- ast <- semantics <- emit <- frontend"
    for header in ("frontend/emit/Frames.h", "frontend/Frontend.h"):
        status, output = check_file("frontend/semantics/memory/Bad.cpp", f'#include "{header}"\n')
        assert status == 1
        problem = f"frontend/semantics must not include {header}: {order}"
        assert output == f"csrc/frontend/semantics/memory/Bad.cpp:1: {problem}\n"
    for name in ("frontend/emit/Good.cpp", "frontend/Good.cpp"):
        assert check_file(name, '#include "frontend/values/Value.h"\n') == (0, "")


def test_include_of_a_vendor_where_there_is_none():
    for header in ("dialect/hk_amd/HkAmdDialect.h", "mlir/Dialect/LLVMIR/ROCDLDialect.h"):
        for folder in ("analysis", "transforms"):
            status, output = check_file(f"{folder}/warp_pipeline/Bad.cpp", f'#include "{header}"\n')
            assert status == 1
            problem = f"{folder} must not include {header}: it works for every vendor"
            assert output == f"csrc/{folder}/warp_pipeline/Bad.cpp:1: {problem}\n"
    assert check_file("transforms/nvidia/Good.cpp", '#include "dialect/hk_nv/HkNvDialect.h"\n') == (0, "")


@pytest.mark.parametrize("name", ["csrc/layout", "tests/errors/memory"])
def test_folder_of_too_many_files(name):
    with tempfile.TemporaryDirectory() as root:
        folder = pathlib.Path(root, name)
        folder.mkdir(parents=True)
        for number in range(40):
            (folder / f"Layout{number}.cpp").touch()
        assert run_check(root) == (0, "")
        (folder / "OneMore.cpp").touch()
        assert run_check(root) == (1, f"{name}: 41 files, more than 40; split the folder by kind\n")


def test_a_small_header_of_one_file(tmp_path):
    folder = tmp_path / "csrc" / "layout"
    folder.mkdir(parents=True)
    (folder / "Small.h").write_text("#pragma once\n")
    (folder / "User.cpp").write_text('#include "layout/Small.h"\n')
    problem = "csrc/layout/Small.h:1: only csrc/layout/User.cpp includes it: join the two\n"
    assert run_check(tmp_path) == (1, problem)
    (folder / "Small.h").write_text("#pragma once\n" * 41)
    assert run_check(tmp_path) == (0, "")
    (folder / "Small.h").write_text("#pragma once\n")
    (folder / "Small.cpp").write_text('#include "layout/Small.h"\n')
    assert run_check(tmp_path) == (0, "")


FIELD = "decide by a field of target/TargetInfo.h"


def test_decisions_by_vendor():
    for line in (
        "if (target.vendor == Vendor::Amd)",
        "bool isOther = e.target.vendor != own;",
        "if (own == hk::targetOf(op).vendor)",
        "switch (target.vendor) {",
        "const bool isAmd = is(Vendor::Amd); // as elsewhere",
    ):
        for name in ("conversion/hk_to_llvm/Bad.cpp", "emulator/block/Bad.h", "pipeline/Bad.cpp"):
            problem = f"a vendor decides nothing: {FIELD}"
            assert check_file(name, f"\n  {line}\n") == (1, f"csrc/{name}:2: {problem}\n"), line
    assert check_file("target/Good.cpp", "return find(kVendors, Vendor::Amd);\n") == (0, "")
    assert check_file("emulator/Good.cpp", "// where vendor == Vendor::Amd\nshow(infoOf(target.vendor));\n") == (0, "")


def test_names_of_attributes():
    for line, name, home in (
        ('op->setAttr("hk.unroll", value);', "hk.unroll", "dialect/hk/facts/Facts.h"),
        ('static constexpr char kUntimed[] = "lane.untimed";', "lane.untimed", "dialect/lane/LaneFacts.h"),
    ):
        problem = f'"{name}" is an attribute: declare it with its type in {home}'
        assert check_file("conversion/Bad.cpp", line) == (1, f"csrc/conversion/Bad.cpp:1: {problem}\n")
    assert check_file("dialect/hk/facts/Facts.h", 'IntFact kNumWarpsAttr{"hk.num_warps"};\n') == (0, "")
    assert check_file("transforms/Good.cpp", '// "hk.num_warps"\nerror("has no hk.target");\n') == (0, "")


def test_decisions_by_family():
    for line in ('if (target.family == "Hopper")', "return known != info->family;"):
        for name in ("plans/Bad.h", "frontend/semantics/Bad.cpp"):
            assert check_file(name, line) == (1, f"csrc/{name}:1: a family is for messages: {FIELD}\n")
    assert check_file("frontend/Good.cpp", 'error(std::string(target.family) + " has none");\n') == (0, "")


def test_comparing_a_targets_name_is_rejected():
    for line in ('isNew = device.target == "sm_90a";', 'if ("gfx950" != target.name)'):
        assert check_file("runtime/Bad.cpp", line) == (
            1,
            f"csrc/runtime/Bad.cpp:1: a target's name decides nothing: {FIELD}\n",
        )
    assert check_file("bindings/Good.cpp", 'py::arg("target") = "sm_90a"\n') == (0, "")


def test_names_of_others_dialects():
    for name, line, dialect in (
        ("transforms/Bad.cpp", 'if (counter.name == "hk_nv.wgmma_groups")', "hk_nv"),
        ("analysis/Bad.h", 'op->getName().starts_with("rocdl.")', "rocdl"),
        ("conversion/hk_to_llvm/Bad.cpp", 'target.addLegalDialect("prof");', "prof"),
        ("conversion/lane_to_rocdl/Bad.cpp", 'call("llvm.nvvm.ex2.approx")', "llvm.nvvm"),
        ("frontend/Bad.cpp", 'name == "lane.wgmma"', "lane"),
    ):
        status, output = check_file(name, line)
        assert status == 1
        assert output.startswith(f"csrc/{name}:1: {dialect} is spelled in ")
        assert output.endswith(" alone: ask an interface of the operation\n")
    assert check_file("conversion/hk_amd_to_rocdl/Good.cpp", 'setAttr("rocdl.waves_per_eu", n);\n') == (0, "")
    assert check_file("pipeline/Good.cpp", '{Artifact::Lane, "lane"}, // and "rocdl.x"\n') == (0, "")


def test_include_of_the_profiler():
    for folder in ("conversion/lane_to_nvvm", "conversion/hk_to_lane", "codegen", "runtime", "transforms"):
        status, output = check_file(f"{folder}/Bad.cpp", '#include "dialect/prof/ProfDialect.h"\n')
        assert status == 1
        problem = "must not include dialect/prof/ProfDialect.h: it works without the profiler"
        assert output == f"csrc/{folder}/Bad.cpp:1: {folder.split('/')[0]} {problem}\n"
    assert check_file("frontend/Good.cpp", '#include "dialect/prof/ProfDialect.h"\n') == (0, "")


def test_include_in_tablegen():
    status, output = check_file("dialect/hk/Bad.td", 'include "transforms/Passes.td"\n')
    assert status == 1
    problem = "dialect must not include transforms (it may include support, layout, target, plans)"
    assert output == f"csrc/dialect/hk/Bad.td:1: {problem}\n"


def test_the_emulator_and_its_lowering_share_only_their_interface():
    assert check_file("emulator/Good.cpp", '#include "emulator_abi/HostAbi.h"\n') == (0, "")
    assert check_file("conversion/lane_to_host/Good.cpp", '#include "emulator_abi/HostAbi.h"\n') == (0, "")
    status, _ = check_file("emulator/Bad.cpp", '#include "conversion/lane_to_host/LaneToHost.h"\n')
    assert status == 1


def test_a_new_folder_needs_a_place():
    status, output = check_file("misc/Helpers.h", "")
    assert status == 1
    assert output == "csrc/misc/Helpers.h:1: misc has no place in the layering; add it to tools/check_layering.py\n"


def check_modules(**files):
    """The check's answer on a package of these modules; `runtime__jit` is python/hocket/runtime/jit.py."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = pathlib.Path(folder, "python", "hocket", name.replace("__", "/") + ".py")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return run_check(folder)


def test_import_of_a_folder_to_the_right():
    expected = "hocket.language._tensor:1: language must not import runtime, which is to its right\n"
    for text in ("from ..runtime import jit", "import hocket.runtime.jit", "from hocket.runtime.jit import jit"):
        assert check_modules(language___tensor=text, runtime__jit="") == (1, expected)
    assert check_modules(runtime__jit="from ..language._tensor import tensor\n", language___tensor="") == (0, "")


def test_imports_in_functions_and_for_types_count():
    lazy = "def show():\n    from ..emulator import launch\n"
    typed = "TYPE_CHECKING = False\nif TYPE_CHECKING:\n    from ..emulator import Slice\n"
    for text, line in ((lazy, 2), (typed, 3)):
        status, output = check_modules(pictures__timelines=text, emulator__slices="")
        assert status == 1
        assert output == f"hocket.pictures.timelines:{line}: pictures must not import emulator, which is to its right\n"


def test_modules_that_import_each_other():
    assert check_modules(
        kernels__plan="from .way import choose",
        kernels__way="from .tiles import Tile",
        kernels__tiles="from . import plan",
    ) == (
        1,
        "hocket: modules import each other in a circle: kernels.plan -> kernels.way -> kernels.tiles -> kernels.plan\n",
    )


def test_layouts_are_a_leaf():
    files = {"language___tensor": "", "language___constexpr": "", "errors": ""}
    layouts = "from .._constexpr import unwrap\nfrom ...errors import CompileError\n"
    assert check_modules(language___layouts__base=layouts, **files) == (0, "")
    problem = "hocket.language._layouts.base:1: language._layouts is a leaf: it must not import language._tensor\n"
    assert check_modules(language___layouts__base="from .._tensor import tensor\n", **files) == (1, problem)


def test_a_new_module_needs_a_place():
    status, output = check_modules(misc="")
    assert status == 1
    assert output == "hocket.misc: misc has no place in the layering; add it to check_python_layering.py\n"
