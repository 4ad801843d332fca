"""A mistake of ours leaves a file that reproduces it."""

import pathlib

import pytest

import hocket
from hocket import language as gl
from hocket.runtime import compiler


@hocket.jit
def kernel(out):
    gl.store(out, 5.0)


def test_the_reproducer_holds_the_kernels_ir(monkeypatch, tmp_path):
    def fail(request, wanted, trace):
        raise hocket.InternalError("internal error: a pass fell over\nits second line")

    monkeypatch.setattr(compiler.Request, "run", fail)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    with pytest.raises(hocket.InternalError, match="a pass fell over") as caught:
        kernel.warmup(gl.float32, target="gfx950")
    path = pathlib.Path(caught.value.reproducer)
    assert path.parent == tmp_path
    assert f"a reproducer was written to {path}" in str(caught.value)
    text = path.read_text()
    assert text.startswith("// hocket 0.1.0, build ")
    assert "// internal error: a pass fell over\n// its second line\n" in text
    assert "func.func" in text
    assert 'hk.target = "gfx950"' in text
