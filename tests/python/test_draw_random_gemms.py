"""The picture of random GEMMs (tools/draw_random_gemms.py): its bars and caption, and that it is current.

The figures of `sample` are made up for these tests, and leave them nowhere.
"""

import pathlib
import sys
import xml.etree.ElementTree as ElementTree

import pytest

ROOT = pathlib.Path(__file__).parents[2]
sys.path.append(str(ROOT / "tools"))
import draw_random_gemms  # noqa: E402

RESULTS = ROOT / "benchmarks" / "results"
RATIOS = (0.4, 0.97, 0.97, 1.3, 7.0)


def sample():
    """Results of five GEMMs, of which the first two are short and the last one has no algorithm of cuBLASLt."""
    rows = []
    for number, ratio in enumerate(RATIOS):
        case = {"batch": 1, "m": 64 if number < 2 else 4096, "n": 64, "k": 4096, "dtype": "bfloat16"}
        seconds = {"Hocket": 1.0, "cuBLAS": ratio, "cuBLASLt, best of 8": ratio}
        if number == 4:
            del seconds["cuBLASLt, best of 8"]
        rows.append({"name": str(number), "case": case, "seconds": seconds})
    results = {
        "date": "2001-02-03T04:05:06+00:00",
        "device": {"name": "sample GPU", "driver": "1.2"},
        "versions": {"torch": "3.4+cu5"},
        "inputs": "standard normal",
        "method": "medians",
    }
    return results, rows


@pytest.mark.parametrize("theme", draw_random_gemms.THEMES)
def test_bars_and_caption(theme):
    root = ElementTree.fromstring(draw_random_gemms.draw(*sample(), theme))
    texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    bars = list(root.iter("{http://www.w3.org/2000/svg}rect"))
    # Two of the legend; 0.4, two of 0.97, one of which is short, 1.3 and 7; all except 7.
    assert len(bars) == 2 + 5 + 4
    assert texts.count("2") == 4  # in both panels, the number of GEMMs at 0.97, and the label of the bin from 2
    caption = " ".join(texts)
    assert "speed relative to cuBLAS: geometric mean 1.28, of GEMMs from 1 GFLOP 2.07" in caption
    assert "5 GEMMs with M, N and K drawn log-uniformly" in caption
    assert "sample GPU, driver 1.2, 2001-02-03, PyTorch 3.4; inputs standard normal; medians." in caption


@pytest.mark.parametrize(("ratio", "number"), [(0.4, 0), (0.5, 1), (0.99, 6), (1.0, 7), (5.0, 15)])
def test_bins(ratio, number):
    assert draw_random_gemms.bin_of(ratio) == number
    assert len(draw_random_gemms.labels()) == 16


def test_the_committed_pictures_are_current():
    if not (RESULTS / draw_random_gemms.FILE).exists():
        assert not list((ROOT / "docs" / "pictures").glob("random_gemms*"))  # no figures without results
        return
    for path, text in draw_random_gemms.outputs(*draw_random_gemms.read_rows(RESULTS)).items():
        assert (ROOT / path).read_text() == text, f"{path}: python tools/draw_random_gemms.py"


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(SystemExit, match=r"matmul_random\.json is missing: run benchmarks/matmul\.py --random"):
        draw_random_gemms.read_rows(tmp_path)
