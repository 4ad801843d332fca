"""The README's picture and table of benchmarks (tools/draw_benchmarks.py): what they show, and that they are current.

The figures of `sample_results` are made up for these tests, and leave them nowhere.
"""

import json
import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree

import pytest

ROOT = pathlib.Path(__file__).parents[2]
sys.path.append(str(ROOT / "tools"))
import draw_badges  # noqa: E402
import draw_benchmarks  # noqa: E402

RESULTS = ROOT / "benchmarks" / "results"
PEERS = {
    "matmul": ("cuBLAS", "quack", "Triton"),
    "attention": ("cuDNN", "FlashAttention-2", "flash-attn-4", "Triton"),
    "norms": ("PyTorch", "Triton", "quack", "Liger"),
}


def sample_results():
    """Results of three runs as JSON holds them: 100 for Hocket in each row; 80, 79, and so on for the peers."""
    results = {}
    for row in (row for panel in draw_benchmarks.PANELS for row in panel.rows):
        result = results.setdefault(
            row.file,
            {
                "format": 1,
                "date": "2001-02-03T04:05:06+00:00",
                "device": {"name": "sample GPU", "driver": "1.2"},
                "versions": {"torch": "3.4+cu5", "triton": "6.7", "flash-attn-4": "8.9", "quack-kernels": None},
                "inputs": "standard normal",
                "tables": [],
            },
        )
        tables = {table["name"]: table for table in result["tables"]}
        if row.table not in tables:
            tables[row.table] = {"name": row.table, "rows": []}
            result["tables"].append(tables[row.table])
        values = {"Hocket": 100.0} | {name: 80.0 - place for place, name in enumerate(PEERS[row.file])}
        tables[row.table]["rows"].append({"name": row.label, "case": row.case, "values": values})
    return results


def written(folder, results):
    for stem, result in results.items():
        (folder / f"{stem}.json").write_text(json.dumps(result))
    return draw_benchmarks.read_results(folder)


def row_of(results, file, table, place):
    [found] = [entry for entry in results[file]["tables"] if entry["name"] == table]
    return found["rows"][place]


@pytest.mark.parametrize("theme", draw_benchmarks.THEMES)
def test_bars_and_caption_of_the_picture(theme, tmp_path):
    results = written(tmp_path, sample_results())
    picture = draw_benchmarks.draw(results, theme)
    root = ElementTree.fromstring(picture)
    texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    rows = sum(len(panel.rows) for panel in draw_benchmarks.PANELS)
    bars = list(root.iter("{http://www.w3.org/2000/svg}rect"))
    assert len(bars) == 4 * rows + len(draw_benchmarks.FAMILIES)
    assert texts.count("1.25 x best peer") == rows
    assert {"Hocket", "Triton", "D 64 causal, logits std 4", "100", "77"} <= set(texts)
    caption = " ".join(texts)
    assert "sample GPU, driver 1.2, 2001-02-03; PyTorch 3.4, Triton 6.7, flash-attn-4 8.9." in caption
    assert "Inputs: standard normal, " in caption
    assert "FlashAttention-2" not in picture
    assert "Liger" not in picture


def test_rows_where_hocket_loses_are_shown(tmp_path):
    sample = sample_results()
    row_of(sample, "matmul", "small", 0)["values"]["cuBLAS"] = 125.0
    results = written(tmp_path, sample)
    assert "0.80 x best peer" in draw_benchmarks.draw(results, "light")


def test_the_table(tmp_path):
    sample = sample_results()
    row_of(sample, "norms", "rms_norm_backward", 0)["values"] = {"Hocket": 3.0, "quack": 4.0}
    lines = draw_benchmarks.table_text(written(tmp_path, sample)).splitlines()
    assert len(lines) == len(draw_benchmarks.TABLE)
    assert lines[0].split() == "GEMM bf16 8192 x 8192 x 8192 100 TFLOP/s 1.25 x cuBLAS".split()
    assert lines[-1].split() == "RMSNorm bf16 backward 16384 x 4096 3.00 TB/s 0.75 x quack".split()


def test_the_readme_has_places_for_both():
    readme = (ROOT / "README.md").read_text()
    filled = draw_benchmarks.fill(readme, draw_benchmarks.picture_lines(), "a\nb")
    assert filled.count("<picture>") == 1
    assert "  ```text\n  a\n  b\n  ```\n" in filled
    assert draw_benchmarks.fill(filled, draw_benchmarks.picture_lines(), "a\nb") == filled
    longest = draw_benchmarks.fill(
        readme, draw_benchmarks.picture_lines(), "\n".join("x" for _ in draw_benchmarks.TABLE)
    )
    assert len(longest.splitlines()) <= 150


def test_what_is_committed_is_what_the_results_give():
    readme = (ROOT / "README.md").read_text()
    if not RESULTS.exists():
        assert "<picture>" not in readme  # no figures without results
        return
    for path, text in draw_benchmarks.outputs(draw_benchmarks.read_results(RESULTS), readme).items():
        assert (ROOT / path).read_text() == text, f"{path}: python tools/draw_benchmarks.py"


def test_results_of_several_gpus_are_refused(tmp_path):
    sample = sample_results()
    sample["norms"]["device"] = {"name": "another GPU", "driver": "1.2"}
    with pytest.raises(SystemExit, match="from several devices: another GPU, sample GPU"):
        written(tmp_path, sample)


def test_a_case_that_is_missing_is_named(tmp_path):
    sample = sample_results()
    row_of(sample, "attention", "forward", 2)["case"] = {"dtype": "float16"}
    message = re.escape("attention.json has no row of table forward with {'dtype': 'float16', 'batch': 4")
    with pytest.raises(SystemExit, match=message):
        draw_benchmarks.draw(written(tmp_path, sample), "light")


def test_a_file_that_is_missing_is_named(tmp_path):
    with pytest.raises(SystemExit, match=r"matmul\.json is missing: benchmarks/README\.md has the command"):
        draw_benchmarks.read_results(tmp_path)


def test_the_badges_say_what_the_project_says():
    for name, badge in draw_badges.badges().items():
        assert (draw_badges.FOLDER / f"badge_{name}.svg").read_text() == draw_badges.draw(*badge), name
