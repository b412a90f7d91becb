from pathlib import Path

import pytest
from matplotlib.figure import Figure

from embspace.draw.canvas import use_style
from embspace.files.figures import save_figure


@pytest.fixture(autouse=True)
def in_tmp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def drawn() -> Figure:
    figure = Figure()
    figure.subplots().plot([0, 1], [1, 0], label="line")
    return figure


def test_the_same_figure_gives_the_same_bytes_without_date_or_version():
    use_style()
    for name in ("a", "b"):
        save_figure(drawn(), name, title="measure_x@tiny")
    for suffix in ("png", "svg", "pdf"):
        content = Path(f"a.{suffix}").read_bytes()
        assert content == Path(f"b.{suffix}").read_bytes()
        assert b"Matplotlib v" not in content
        assert b"CreationDate" not in content


def test_the_title_stands_inside_each_file():
    save_figure(drawn(), "a", title="measure_x@tiny")
    assert b"measure_x@tiny" in Path("a.png").read_bytes()
    assert b"measure_x@tiny" in Path("a.svg").read_bytes()
    assert b"measure_x@tiny" in Path("a.pdf").read_bytes()
