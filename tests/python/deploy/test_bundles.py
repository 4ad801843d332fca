"""Bundles: what an export writes, and `hocket.load` on the emulator."""

import json
import pathlib
import shutil
import subprocess
import sys
import threading

import ml_dtypes
import numpy as np
import pytest
from stand_ins.exported_kernels import add, double_tile, says, scale

import hocket
from hocket import language as gl
from hocket.deploy.bundle_files import read_manifest
from hocket.kernels import norms
from hocket.nvidia.hopper import TensorDescriptor

RANDOM = np.random.default_rng(0)


def random(*shape, dtype=np.float32):
    return RANDOM.standard_normal(shape, np.float32).astype(dtype)


def export_add(folder, **settings):
    given = {"target": "sm_90a", "grid": "cdiv(n, BLOCK)", "emulator": True, **settings}
    add.export(folder, gl.float32, gl.float32, gl.float32, 1000, BLOCK=256, **given)


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    folder = tmp_path_factory.mktemp("exports") / "add"
    export_add(folder)
    return folder


@pytest.fixture
def bundle(exported, tmp_path):
    return pathlib.Path(shutil.copytree(exported, tmp_path / "add"))


class TestFiles:
    def test_all_of_them(self, exported):
        names = {"add.cubin", "add.ptx"} & {path.name for path in exported.iterdir()}
        assert len(names) == 1  # PTX only without an assembler: machine code for sm_90a runs nowhere else
        assert {path.name for path in exported.iterdir()} == {"add.c", "add.h", "add.lane", "manifest.json", *names}

    def test_manifest(self, exported):
        manifest = json.loads((exported / "manifest.json").read_text())
        assert manifest["format"] == 1
        assert manifest["hocket"] == hocket.__version__
        assert (manifest["name"], manifest["target"]) == ("add", "sm_90a")
        assert [(p["name"], p["type"], p["multiple_of"], p["is_written"]) for p in manifest["parameters"]] == [
            ("x", "*f32", 16, False),
            ("y", "*f32", 16, False),
            ("out", "*f32", 16, True),
            ("n", "i32", 1, False),
        ]
        (kernel,) = manifest["kernels"]
        assert (kernel["symbol"], kernel["num_warps"], kernel["warp_size"]) == ("add", 4, 32)
        assert manifest["launches"][0]["grid"] == ["cdiv(n, 256)", "1", "1"]
        assert manifest["constants"] == {"BLOCK": "256"}
        assert set(manifest["files"]) == {path.name for path in exported.iterdir()} - {"manifest.json"}

    def test_equal_exports_have_equal_bytes(self, exported, tmp_path):
        export_add(tmp_path / "again")
        for path in exported.iterdir():
            assert (tmp_path / "again" / path.name).read_bytes() == path.read_bytes()

    def test_machine_code_and_ptx_of_a_target_that_newer_gpus_run(self, tmp_path):
        export_add(tmp_path / "add", target="sm_80", emulator=False)
        (kernel,) = read_manifest(tmp_path / "add").kernels
        assert kernel.ptx == "add.ptx"
        assert (tmp_path / "add" / "add.ptx").read_text().count(".target sm_80") == 1

    def test_amd(self, tmp_path):
        export_add(tmp_path / "add", target="gfx950", emulator=False)
        assert (tmp_path / "add" / "add.hsaco").read_bytes()[:4] == b"\x7fELF"
        assert "hipModuleLoadData" in (tmp_path / "add" / "add.c").read_text()

    @pytest.mark.parametrize("target", ["sm_80", "sm_90a", "gfx942"])
    def test_sources_are_short(self, tmp_path, target):
        export_add(tmp_path / "add", target=target)
        assert (tmp_path / "add" / "add.c").read_text().count("\n") < 300

    def test_arguments_with_one_name_in_c(self, tmp_path):
        @hocket.jit
        def store(x, pair, pair_0):
            gl.store(x + gl.arange(0, 128, layout=gl.row_layout()), pair[0] + pair_0)

        with pytest.raises(hocket.LaunchError, match=r"`pair\[0\]` and `pair_0` both have the name pair_0 in C"):
            store.export(tmp_path / "store", gl.int32, (2, 3), 4, target="sm_90a")
        assert list(tmp_path.iterdir()) == []

    def test_the_source_of_several_launches_is_short(self, tmp_path):
        """Three kernels, with nine tensor maps and five temporary arrays."""
        q = np.zeros((1, 8, 1024, 128), np.float16)
        arguments = q, q, q, q, q, np.zeros((1, 8, 1024), np.float32)
        hocket.export(hocket.kernels.attention_backward, tmp_path / "gradients", *arguments, target="sm_90a", name="g")
        manifest = hocket.load(tmp_path / "gradients").manifest
        assert len(manifest.launches) == 3
        assert (tmp_path / "gradients" / "g.c").read_text().count("\n") < 300

    def test_a_name(self, tmp_path):
        export_add(tmp_path / "add", name="sum_of_two")
        assert (tmp_path / "add" / "sum_of_two.h").read_text().count("int sum_of_two_launch(") == 1
        with pytest.raises(hocket.LaunchError, match="must be an identifier of C, not '2 sums'"):
            export_add(tmp_path / "add", name="2 sums")


class TestAtomicity:
    def test_an_earlier_bundle_is_replaced(self, bundle):
        export_add(bundle, name="other")
        assert hocket.load(bundle).name == "other"
        assert not (bundle / "add.c").exists()
        assert [path.name for path in bundle.parent.iterdir()] == ["add"]

    @pytest.mark.parametrize("call", ["fsync", "rename"])
    def test_a_failing_export_leaves_the_earlier_bundle(self, bundle, monkeypatch, call):
        from hocket.deploy import bundle_files

        before = {path.name: path.read_bytes() for path in bundle.iterdir()}
        calls = []

        def fail(*arguments):
            calls.append(arguments)
            if len(calls) == 2:
                raise OSError(28, "No space left on device")
            return real(*arguments)

        real = getattr(bundle_files.os, call)
        monkeypatch.setattr(bundle_files.os, call, fail)
        with pytest.raises(hocket.LaunchError, match="cannot be written: No space left on device"):
            export_add(bundle, name="other")
        assert {path.name: path.read_bytes() for path in bundle.iterdir()} == before
        assert [path.name for path in bundle.parent.iterdir()] == ["add"]

    def test_other_folders_are_left_alone(self, tmp_path):
        (tmp_path / "notes.txt").write_text("mine")
        with pytest.raises(hocket.LaunchError, match="exists and holds other files than a bundle"):
            export_add(tmp_path)
        assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]
        with pytest.raises(hocket.LaunchError, match=r"notes\.txt exists and is not a folder"):
            export_add(tmp_path / "notes.txt")

    def test_a_mistake_writes_nothing(self, tmp_path):
        with pytest.raises(
            hocket.LaunchError, match="`m` is not an integer parameter of the kernel, which has n, BLOCK"
        ):
            export_add(tmp_path / "add", grid="cdiv(m, 256)")
        assert list(tmp_path.iterdir()) == []


class TestTampering:
    def test_each_file(self, bundle):
        for path in sorted(bundle.iterdir()):
            whole = path.read_bytes()
            path.write_bytes(whole.replace(b"add", b"dad", 1))
            with pytest.raises(hocket.LaunchError, match=r"was changed after the export|damaged"):
                hocket.load(bundle)
            path.write_bytes(whole)
        hocket.load(bundle)

    def test_a_missing_file(self, bundle):
        (bundle / "add.lane").unlink()
        with pytest.raises(hocket.LaunchError, match=r"add\.lane cannot be read: No such file"):
            hocket.load(bundle)

    def test_a_file_that_changes_after_the_load(self, bundle):
        loaded = hocket.load(bundle)
        (bundle / "add.lane").write_text("module {}")
        with pytest.raises(hocket.LaunchError, match=r"add\.lane was changed after the export"):
            loaded(*(random(1000) for _ in range(3)), 1000)

    @pytest.mark.parametrize("text", ["", "{}", "[1]", '{"format": 1'])
    def test_what_is_no_manifest(self, bundle, text):
        (bundle / "manifest.json").write_text(text)
        with pytest.raises(hocket.LaunchError, match=r"is not a bundle: manifest\.json is damaged"):
            hocket.load(bundle)

    def test_no_folder(self, tmp_path):
        with pytest.raises(hocket.LaunchError, match=r"is not a bundle: manifest\.json cannot be read: No such file"):
            hocket.load(tmp_path / "nothing")

    def test_another_version_of_the_format(self, bundle):
        fields = json.loads((bundle / "manifest.json").read_text())
        (bundle / "manifest.json").write_text(json.dumps({**fields, "format": 7, "hocket": "9.0"}))
        with pytest.raises(
            hocket.LaunchError, match=r"by Hocket 9\.0 in version 7 of the format; this Hocket reads ver"
        ):
            hocket.load(bundle)

    def test_another_build_of_the_emulator(self, tmp_path, monkeypatch):
        monkeypatch.setattr(hocket._core, "build_id", lambda: "other")
        export_add(tmp_path / "add")
        monkeypatch.undo()
        with pytest.raises(hocket.LaunchError, match="was exported by another build of Hocket"):
            hocket.load(tmp_path / "add")(*(random(1000) for _ in range(3)), 1000)


class TestOnTheEmulator:
    @pytest.mark.parametrize("n", [1, 256, 1000])
    def test_a_rule_for_the_grid(self, exported, n):
        x, y, out = random(1000), random(1000), np.zeros(1000, np.float32)
        hocket.load(exported)(x, y, out, n)
        np.testing.assert_array_equal(out, np.where(np.arange(1000) < n, x + y, 0))

    def test_arguments_by_name(self, exported):
        x, y, out = random(64), random(64), np.zeros(64, np.float32)
        hocket.load(exported)(x, out=out, n=64, y=y)
        np.testing.assert_array_equal(out, x + y)

    def test_a_grid_of_the_caller(self, tmp_path):
        export_add(tmp_path / "add", grid=None)
        bundle = hocket.load(tmp_path / "add")
        x, y, out = random(1000), random(1000), np.zeros(1000, np.float32)
        bundle[(2,)](x, y, out, 1000)
        np.testing.assert_array_equal(out[:512], (x + y)[:512])
        assert not out[512:].any()
        with pytest.raises(hocket.LaunchError, match=r"hint: write add\[grid\]"):
            bundle(x, y, out, 1000)

    def test_scalars_of_all_sizes(self, tmp_path):
        scale.export(tmp_path / "scale", gl.float32, 2.5, True, 2**40, (3, 4.0), target="sm_90a", grid=1, emulator=True)
        bundle = hocket.load(tmp_path / "scale")
        assert list(bundle.parameters.values()) == ["*f32", "f32", "i1", "i64", "i32", "f32"]
        out = np.zeros(128, np.float32)
        bundle(out, 0.5, True, 2, 5, 0.25)
        assert set(out[:100]) == {0.5 + 2 + 1.25}
        assert not out[100:].any()

    def test_a_descriptor(self, tmp_path):
        block = np.zeros((16, 64), np.float16)
        descriptor = TensorDescriptor.from_tensor(block, [16, 64], gl.NVMMASharedLayout(128, 16, 2))
        double_tile.export(tmp_path / "double", descriptor, gl.float16, 64, target="sm_90a", emulator=True)
        bundle = hocket.load(tmp_path / "double")
        assert bundle.parameters == {"source": "tensordesc", "out": "*f16", "columns": "i32"}
        wide = random(40, 80, dtype=np.float16)
        source, out = wide[:, :64], np.zeros((40, 64), np.float16)
        bundle[(3,)](source, out, 64)
        np.testing.assert_array_equal(out, source * 2)


class TestFunctions:
    def test_matmul(self, tmp_path):
        a, b = random(96, 64, dtype=np.float16), random(64, 160, dtype=np.float16)
        hocket.export(hocket.kernels.matmul, tmp_path / "matmul", a, b, target="sm_90a", emulator=True)
        bundle = hocket.load(tmp_path / "matmul")
        assert bundle.parameters == {"a": "*f16", "b": "*f16", "out": "*f16"}
        out = np.zeros((96, 160), np.float16)
        bundle(a, b, out)
        np.testing.assert_array_equal(out, hocket.kernels.matmul(a, b))
        assert (tmp_path / "matmul" / "matmul.c").read_text().count("\n") < 300

    def test_several_launches_and_temporaries(self, tmp_path):
        """B of a GEMM of float8 is copied first, with K contiguous."""
        a, b = random(64, 128, dtype=ml_dtypes.float8_e4m3fn), random(128, 128, dtype=ml_dtypes.float8_e4m3fn)
        hocket.export(hocket.kernels.matmul, tmp_path / "matmul", a, b, target="sm_90a", emulator=True)
        bundle = hocket.load(tmp_path / "matmul")
        assert len(bundle.manifest.launches) > 1
        assert bundle.manifest.temporaries
        out = np.zeros((64, 128), np.float16)
        bundle(a, b, out)
        np.testing.assert_array_equal(out, hocket.kernels.matmul(a, b))
        assert (tmp_path / "matmul" / "matmul.c").read_text().count("\n") < 300

    @pytest.mark.parametrize("target", ["sm_90a", "gfx950"])
    def test_rms_norm(self, tmp_path, target):
        x, weight = random(24, 512), random(512)
        hocket.export(norms.rms_norm, tmp_path / "norm", x, weight, target=target, emulator=True)
        bundle = hocket.load(tmp_path / "norm")
        with hocket.emulator.target(target):
            expected = norms.rms_norm(x, weight)
        outputs = [np.zeros(p.shape, np.float32) for p in bundle.manifest.parameters[2:]]
        bundle(x, weight, *outputs)
        np.testing.assert_allclose(outputs[0], expected if isinstance(expected, np.ndarray) else expected[0], rtol=1e-6)

    def test_gradients_of_a_norm_need_zeros(self, tmp_path):
        """The counters of the grid barrier are 0 before each launch."""
        x, weight, dy = random(256, 512), random(512), random(256, 512)
        rstd = 1 / np.sqrt((x * x).mean(1) + 1e-6)
        arguments = dy, x, weight, rstd.astype(np.float32)
        hocket.export(norms.rms_norm_backward, tmp_path / "norm", *arguments, target="sm_90a", emulator=True)
        manifest = hocket.load(tmp_path / "norm").manifest
        assert [temporary.fill for temporary in manifest.temporaries].count(0) == 1
        assert any(kernel.is_cooperative for kernel in manifest.kernels)

    def test_attention(self, tmp_path):
        q, k, v = (random(1, 1, 128, 64, dtype=np.float16) for _ in range(3))
        hocket.export(hocket.kernels.attention, tmp_path / "attention", q, k, v, target="sm_90a", emulator=True)
        bundle = hocket.load(tmp_path / "attention")
        out = np.zeros((1, 1, 128, 64), np.float16)
        bundle(q, k, v, out)
        np.testing.assert_array_equal(out, hocket.kernels.attention(q, k, v))

    def test_shapes_are_fixed(self, tmp_path):
        a = random(64, 64, dtype=np.float16)
        hocket.export(hocket.kernels.matmul, tmp_path / "matmul", a, a, target="sm_90a")
        bundle = hocket.load(tmp_path / "matmul")
        with pytest.raises(hocket.LaunchError, match=r"`a` has the shape \[32, 64\]; the bundle was exported for"):
            bundle(a[:32], a, a)
        with pytest.raises(hocket.LaunchError, match=r"`b` has the strides \[1, 64\]; the bundle was exported for"):
            bundle(a, a.T, a)
        with pytest.raises(hocket.LaunchError, match="was exported for sm_90a without code for the emulator"):
            bundle(a, a, a.copy())

    def test_launches_of_other_threads_run_meanwhile(self, tmp_path):
        """An export does not change where launches of other threads run."""
        x, targets, failures = random(128), [], []

        def traced(x, out):
            thread = threading.Thread(target=launch)
            thread.start()
            thread.join()
            add[(1,)](x, x, out, 128, BLOCK=128)

        def launch():
            try:
                out = np.zeros_like(x)
                targets.append(add[(1,)](x, x, out, 128, BLOCK=128).target)
                np.testing.assert_array_equal(out, x + x)
            except Exception as error:
                failures.append(error)

        hocket.export(traced, tmp_path / "f", x, x, target="gfx942", name="f")
        assert failures == []
        assert set(targets) == {"sm_90a"}

    def test_a_function_without_kernels(self, tmp_path):
        with pytest.raises(hocket.LaunchError, match="has launched no kernel that an export could hold"):
            hocket.export(lambda x: x, tmp_path / "f", random(4), target="sm_90a", name="f")

    def test_computing_on_the_host(self, tmp_path):
        def halved(x, out):
            add[(1,)](x, x / 2, out, 4, BLOCK=128)

        with pytest.raises(hocket.LaunchError, match=r"uses numpy\.divide on an array on the host"):
            hocket.export(halved, tmp_path / "f", random(4), random(4), target="sm_90a")

    def test_arrays_from_elsewhere(self, tmp_path):
        table = random(128)

        def looked_up(x, out):
            add[(1,)](x, table, out, 4, BLOCK=128)

        with pytest.raises(hocket.LaunchError, match="argument `y` of kernel add is an array that the call neither"):
            hocket.export(looked_up, tmp_path / "f", random(4), random(4), target="sm_90a")

    def test_a_function_of_ones_own(self, tmp_path):
        def twice(x, out):
            add[(hocket.cdiv(x.size, 256),)](x, x, out, x.size, BLOCK=256)
            add[(hocket.cdiv(x.size, 256),)](out, x, out, x.size, BLOCK=256)

        x, out = random(600), np.zeros(600, np.float32)
        hocket.export(twice, tmp_path / "f", x, out, target="gfx942", emulator=True)
        bundle = hocket.load(tmp_path / "f")
        assert len(bundle.manifest.kernels) == 1
        bundle(x, out)
        np.testing.assert_array_equal(out, x + x + x)


class TestArguments:
    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ("x, y, out", r"add\(x, y, out, n\) needs a value for n"),
            ("x, y, out, 8, 9", "takes 4 arguments, not 5"),
            ("x, y, out, 8, m=9", "has no parameter `m`"),
            ("x, y, out, 8, x=x", "gets `x` twice"),
            ("x, y, 'out', 8", "`out` is a str, which is not an array"),
            ("x, y, half, 8", "`out` has elements of f16; the bundle was exported for f32"),
            ("x, y, out, 2.5", "`n`: 2.5 is not a number of type i32"),
            ("x, y, out, 2**31", "`n`: 2147483648 is not a number of type i32"),
            ("x[1:], y, out, 8", "`x` is at an address that is not a multiple of 16 bytes"),
        ],
    )
    def test_mistakes(self, exported, arguments, message):
        aligned = np.zeros(100, np.float32)
        aligned = aligned[-aligned.ctypes.data % 16 // 4 :]
        names = {"x": aligned, "y": aligned, "out": aligned.copy(), "half": aligned.astype(np.float16)}
        call = eval(f"lambda bundle: bundle({arguments})", names)
        with pytest.raises(hocket.LaunchError, match=message):
            call(hocket.load(exported))

    def test_multiples(self, tmp_path):
        add.export(tmp_path / "add", gl.float32, gl.float32, gl.float32, 1024, BLOCK=256, target="sm_90a", grid=4)
        with pytest.raises(hocket.LaunchError, match="`n` is 1000, but the bundle was exported for multiples of 16"):
            hocket.load(tmp_path / "add")(*(random(1024) for _ in range(3)), 1000)

    def test_bfloat16(self, tmp_path):
        add.export(tmp_path / "add", *[gl.bfloat16] * 3, 1000, BLOCK=256, target="sm_90a", grid=4, emulator=True)
        x, y, out = (random(1000, dtype=ml_dtypes.bfloat16) for _ in range(3))
        hocket.load(tmp_path / "add")(x, y, out, 1000)
        np.testing.assert_array_equal(out, x + y)


def test_printing_kernels_for_amd(tmp_path):
    with pytest.raises(hocket.LaunchError, match="says prints or asserts, for which gfx942 needs memory of the host"):
        says.export(tmp_path / "says", 5, target="gfx942")


def test_loading_imports_neither_the_core_nor_numpy(exported):
    code = (
        f"import sys, hocket; hocket.load({str(exported)!r}); "
        "print([name for name in ('hocket._core', 'numpy', 'torch', 'hocket.language') if name in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
