from pathlib import Path

import pytest
from matplotlib.figure import Figure

from embspace.draw.page.canvas import use_style
from embspace.files.figures import save_figure


@pytest.fixture(autouse=True)
def in_tmp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def drawn() -> Figure:
    figure = Figure()
    figure.subplots().plot([0, 1], [1, 0], label="line")
    return figure


def files_of(name: str) -> list[str]:
    return [f"{name}.{suffix}" for suffix in ("png", "svg", "pdf")]


def test_the_same_figure_gives_the_same_bytes_without_date_or_version():
    use_style()
    for name in ("a", "b"):
        save_figure(drawn(), files_of(name), title="measure_x@tiny")
    for suffix in ("png", "svg", "pdf"):
        content = Path(f"a.{suffix}").read_bytes()
        assert content == Path(f"b.{suffix}").read_bytes()
        assert b"Matplotlib v" not in content
        assert b"CreationDate" not in content


def test_the_title_stands_inside_each_file():
    save_figure(drawn(), files_of("a"), title="measure_x@tiny")
    assert b"measure_x@tiny" in Path("a.png").read_bytes()
    assert b"measure_x@tiny" in Path("a.svg").read_bytes()
    assert b"measure_x@tiny" in Path("a.pdf").read_bytes()


def test_it_is_drawn_once_for_its_layout_and_once_for_each_file(monkeypatch: pytest.MonkeyPatch):
    use_style()
    figure, drawings, draw = drawn(), [], Figure.draw

    def counting(self: Figure, renderer: object) -> None:
        drawings.append(renderer)
        draw(self, renderer)

    monkeypatch.setattr(Figure, "draw", counting)
    save_figure(figure, files_of("a"), title="measure_x@tiny")
    assert len(drawings) == 1 + 3


def test_places_of_axes_are_rounded_and_the_layout_is_kept():
    use_style()
    figure = drawn()
    figure.suptitle("a title that takes room")
    figure.draw_without_rendering()
    before = figure.axes[0].get_position().bounds
    save_figure(figure, files_of("a"), title="measure_x@tiny")
    after = figure.axes[0].get_position().bounds
    assert after == pytest.approx(before, abs=1e-6)
    assert all(
        round(bound, 6) == bound for bound in figure.axes[0].get_position(original=True).bounds
    )
