import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from embspace.draw.page import saving as results
from embspace.draw.page.canvas import new_figure
from embspace.draw.page.known_drawings import DRAWINGS
from embspace.draw.page.markdown import pointer_apart
from embspace.draw.page.saving import ALL_RUNS, Drawing, draw_and_save, load_results, n_processes
from embspace.errors import InputError
from embspace.files.rows import save_rows
from embspace.files.scalars import save_scalars
from embspace.files.tables import save_table
from embspace.files.tensors import save_tensors
from tests.drawn import drawn_files
from tests.measure.vectors import vocabulary_of


@pytest.fixture(autouse=True)
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_results_are_found_by_noun_table_and_model():
    save_table(vocabulary_of(3), "results/noun/pairs/tiny.csv")
    save_table(vocabulary_of(4), "results/noun/tiny.csv")
    save_scalars({"n": 3}, "results/noun/tiny.json")
    save_tensors({"x": np.ones((2, 2))}, "data/measured/noun/tiny.safetensors")
    save_rows(vocabulary_of(5), "data/projected/noun/tiny.parquet")
    names = ("json", "pairs.csv", "csv", "safetensors", "parquet")
    loaded = load_results("noun", "tiny", names)
    assert list(loaded) == ["json", "pairs", "csv", "safetensors", "parquet"]
    assert loaded["json"] == {"n": 3}
    assert [len(loaded[name]) for name in ("pairs", "csv", "parquet")] == [3, 4, 5]
    assert loaded["safetensors"]["x"].tolist() == [[1, 1], [1, 1]]


def test_tables_of_another_noun_keep_its_name():
    save_table(vocabulary_of(3), "results/other/pairs/tiny.csv")
    loaded = load_results("noun", "tiny", ("other/pairs.csv",))
    assert list(loaded) == ["other/pairs"]
    assert len(loaded["other/pairs"]) == 3
    save_table(vocabulary_of(2), "results/other/tiny.csv")
    loaded = load_results("noun", "tiny", ("other/.csv",))
    assert {name: len(table) for name, table in loaded.items()} == {"other": 2}


def test_files_of_other_stages_and_settings_have_whole_paths():
    save_rows(vocabulary_of(3), "data/extracted/embeddings/tiny.parquet")
    Path("conf/project").mkdir(parents=True)
    Path("conf/project/tsne.yaml").write_text("perplexity: 30.0\n")
    names = ("data/extracted/embeddings.parquet", "conf/project/tsne.yaml")
    loaded = load_results("noun", "tiny", names)
    assert list(loaded) == [*names]
    assert len(loaded[names[0]]) == 3
    assert loaded[names[1]] == {"perplexity": 30.0}


def test_tables_of_all_runs_are_one_with_the_run_of_each_row():
    save_table(vocabulary_of(3), "results/noun/pairs/one.csv")
    save_table(vocabulary_of(2), "results/noun/pairs/other.csv")
    save_table(vocabulary_of(0), "results/noun/pairs/that_has_none.csv")
    table = load_results("noun", ALL_RUNS, ("pairs.csv",))["pairs"]
    assert list(table["run"]) == ["one"] * 3 + ["other"] * 2
    assert list(table["id"]) == [0, 1, 2, 0, 1]
    assert load_results("empty", ALL_RUNS, ("csv",))["csv"].empty


def test_a_missing_result_is_named():
    with pytest.raises(InputError, match="results/noun/pairs/tiny.csv: not found"):
        load_results("noun", "tiny", ("pairs.csv",))


def drawing(tables: dict[str, Any], label: str, *, words: str) -> tuple[Figure, str]:
    figure, axes = new_figure(1, 1, height_mm=40, title=words, subtitle=label, stage="measure_noun")
    axes[0].plot(tables["csv"]["id"])
    return figure, f"{label}: {words}, {len(tables['csv'])}"


def broken(tables: dict[str, Any], label: str, *, words: str) -> tuple[Figure, str]:
    raise KeyError(f"{words} of {label}")


def on_cores(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let so many processes draw, however few figures there are."""
    monkeypatch.setattr("joblib.cpu_count", lambda: n)
    monkeypatch.setattr(results, "WORTH_A_PROCESS", 1)
    monkeypatch.setenv("LOKY_MAX_CPU_COUNT", str(n))


def files_of(folder: str) -> dict[str, bytes]:
    paths = sorted(Path(folder).rglob("*.*"))
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def test_the_number_of_cores_changes_no_byte(monkeypatch: pytest.MonkeyPatch):
    nouns = ("one", "two", "three")
    for n, noun in enumerate(nouns, 2):
        save_table(pd.DataFrame({"id": range(n)}), f"results/{noun}/toy.csv")
    drawings = dict.fromkeys(nouns, Drawing(drawing, ("csv",)))
    settings = {noun: {"words": noun} for noun in nouns}
    for n, folder in ((1, "by_one"), (2, "by_two")):
        on_cores(n, monkeypatch)
        draw_and_save("toys", drawings, "toy", "a label", settings)
        Path(folder).mkdir()
        for made in ("figures", "data/drawn"):
            Path(made).rename(f"{folder}/{Path(made).name}")
        shutil.rmtree(DRAWINGS)
    assert len(files_of("by_one")) == 5 * len(nouns)
    assert files_of("by_one") == files_of("by_two")


@pytest.mark.parametrize(
    ("n_cores", "n_figures", "expected"), [(1, 25, 1), (2, 2, 1), (2, 25, 2), (64, 25, 6)]
)
def test_a_process_a_core_and_none_for_few_figures(
    n_cores: int, n_figures: int, expected: int, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("joblib.cpu_count", lambda: n_cores)
    assert n_processes(n_figures) == expected


def test_only_what_was_not_drawn_before_is_worth_a_process(monkeypatch: pytest.MonkeyPatch):
    counts: list[int] = []
    monkeypatch.setattr(results, "n_processes", lambda n: counts.append(n) or 1)
    nouns = ("one", "two", "three")
    for n, noun in enumerate(nouns, 2):
        save_table(pd.DataFrame({"id": range(n)}), f"results/{noun}/toy.csv")
    drawings = dict.fromkeys(nouns, Drawing(drawing, ("csv",)))
    settings = {noun: {"words": noun} for noun in nouns}
    draw_and_save("toys", drawings, "toy", "a label", settings)
    before = files_of("figures")
    shutil.rmtree("figures")
    draw_and_save("toys", drawings, "toy", "a label", settings | {"two": {"words": "due"}})
    assert counts == [3, 1]
    assert Path("figures/two/toy.md").read_text() == "a label: due, 3"
    unchanged = {file: content for file, content in before.items() if "two" not in file}
    assert unchanged.items() <= files_of("figures").items()


# Processes of their own import matplotlib anew: 5 to 12 s of the processor.
@pytest.mark.parametrize("n_cores", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_an_error_names_its_figure(n_cores: int, monkeypatch: pytest.MonkeyPatch):
    on_cores(n_cores, monkeypatch)
    nouns = ("one", "two")
    settings = {noun: {"words": noun} for noun in nouns}
    with pytest.raises(InputError, match="results/two/toy.csv: not found"):
        draw_and_save("toys", {"two": Drawing(broken, ("csv",))}, "toy", "a label", settings)
    save_table(pd.DataFrame({"id": [1]}), "results/two/toy.csv")
    drawings = {"two": Drawing(drawing, ("csv",)), "one": Drawing(broken, ())}
    with pytest.raises(KeyError, match="one of a label") as caught:
        draw_and_save("toys", drawings, "toy", "a label", settings)
    assert caught.value.__notes__ == ["while drawing figures/one/toy"]


def test_a_label_is_no_formula_no_picture_and_no_table():
    label = "| cheap $\\frac$ one\n![x](http://127.0.0.1:9/x.png) $"
    draw_and_save("toys", {"one": Drawing(with_words, ())}, "toy", label, {"one": {}})
    assert Path("figures/one/toy.md").read_text() == (
        "# cheap $\\\\frac$ one ![x\\](http://127.0.0.1:9/x.png) $\n"
    )
    assert Path("figures/one/toy.png").is_file()


def with_words(results: dict[str, Any], label: str) -> tuple[Figure, str]:
    """A figure that has its label, with dollar signs, wherever words can be."""
    figure, (ax,) = new_figure(1, 1, height_mm=60, title="A", subtitle=label, stage="measure_x")
    ax.plot([1, 1000], [1, 1000], label=label)
    ax.set(yscale="log", title=label, xlabel=label)
    ax.set_xticks([1, 2], [label, "$"])
    ax.text(1, 1, label)
    ax.legend()
    return figure, f"# {label}\n"


def test_each_noun_is_drawn_with_its_results_and_settings_and_saved_under_the_name():
    for noun, n in (("one", 3), ("two", 4)):
        save_table(pd.DataFrame({"id": range(n)}), f"results/{noun}/toy.csv")
    nouns = ("one", "two")
    settings = {"one": {"words": "uno"}, "two": {"words": "due"}}
    drawings = dict.fromkeys(nouns, Drawing(drawing, ("csv",)))
    draw_and_save("toys", drawings, "toy", "a label", settings)
    assert Path("figures/one/toy.md").read_text() == "a label: uno, 3"
    assert Path("figures/two/toy.md").read_text() == "a label: due, 4"
    for noun in nouns:
        for file in drawn_files(f"figures/{noun}/toy", noun, "toys"):
            content = Path(file).read_bytes()
            # The file itself says which stage to look at.
            assert file.endswith((".md", ".tex")) or b"measure_noun@toy" in content, file


def test_an_analysis_without_a_figure_has_a_page_that_says_where_it_is():
    def draw_noun(_: Any, label: str) -> tuple[str, str]:
        return "Half of *it* is alike", f"# Tables of {label}\n\nStage `x`.\n"

    drawing = {"noun": Drawing(draw_noun, (), drawn_in="other")}
    for _ in range(2):  # the second time from what is kept
        draw_and_save("chapter", drawing, "tiny", "Tiny", {"noun": {}})
        page = Path("figures/noun/tiny.md").read_text(encoding="utf-8")
        assert page == (
            "# Tables of Tiny\n\n**Half of \\*it\\* is alike.**\n"
            "See also: [other](../other/tiny.png).\n\nStage `x`.\n"
        )
        assert not Path("figures/noun/tiny.png").exists()
        assert Path("data/drawn/chapter/tiny/noun.tex").is_file()
        shutil.rmtree("figures")
    plain = "# Tables of Tiny\n\nStage `x`.\n"
    assert pointer_apart(page) == (plain, "Half of *it* is alike", "other")
    assert pointer_apart(plain) == (plain, "", "")
