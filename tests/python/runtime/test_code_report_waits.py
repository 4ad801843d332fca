"""Reports of loops with many waits, and of loops that have no model."""

import pytest

from hocket.isa.counts import count_loops
from hocket.reports.code import CodeReport

PRODUCT = "v_mfma_f32_32x32x16_f16 v[0:15], v[16:19], v[20:23], v[0:15]"
EXCHANGE = ["ds_bpermute_b32 v0, v1, v2", "s_waitcnt lgkmcnt(0)"]


def report_of(*instructions):
    text = "\n ".join(["kernel:\nL:", *instructions, "s_cbranch_scc1 L", "s_endpgm\n"])
    return CodeReport("kernel", "gfx950", "amd", {"warps": 4}, None, count_loops(text, "kernel", "gfx950", "amd"))


def test_equal_waits_are_one_line():
    report = report_of("global_load_dword v3, v[4:5], off", "s_waitcnt vmcnt(0)", *EXCHANGE * 3)
    waits = [line for line in str(report).splitlines() if "wait in" in line]
    assert waits == [
        "  wait in the loop, s_waitcnt vmcnt(0): 1 load",
        "  wait in the loop, s_waitcnt lgkmcnt(0): 1 exchange between lanes (3 times)",
    ]
    assert "1 exchange between lanes (3 times)</li>" in report._repr_html_()


def test_many_kinds_of_waits_are_not_all_shown():
    loads = [f"global_load_dword v{i}, v[62:63], off" for i in range(40)]
    report = report_of(*loads, *[f"s_waitcnt vmcnt({left})" for left in reversed(range(40))])
    assert str(report).splitlines()[-1] == "  wait in 16 more"
    assert "<li>16 more</li>" in report._repr_html_()


def test_a_report_has_one_picture_of_the_model():
    html = report_of(PRODUCT, *EXCHANGE)._repr_html_()
    assert (html.count("<svg"), html.count("<summary")) == (1, 2)


def test_a_loop_whose_products_some_trips_leave_out_is_reported_without_a_model():
    report = report_of("s_cbranch_scc0 M", PRODUCT, "s_nop 0", "M:", *EXCHANGE)
    assert report.schedule is None
    assert "1 exchange between lanes" in report._repr_html_()
    with pytest.raises(ValueError, match="to draw: some trips of the hottest loop leave its MMAs out"):
        report.draw_schedule()
