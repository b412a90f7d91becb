"""Draws a figure for a paper: no title inside, a caption in LaTeX, the width of a column."""

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox

from embspace import draw
from embspace.app.drawn import check_drawn, why_no_results
from embspace.draw.compare.__main__ import labels_of
from embspace.draw.page.canvas import (
    letter_panels,
    panels_of,
    take_heading,
    use_style,
    without_math,
)
from embspace.draw.page.latex import escaped, latex_tables
from embspace.draw.page.markdown import harmless
from embspace.draw.page.own_texts import called_as_given
from embspace.draw.page.saving import ALL_RUNS, Drawing
from embspace.errors import InputError, one_line
from embspace.files.atomic import writing
from embspace.files.figures import METADATA, embedded
from embspace.settings.params import CONF, PAIR, TOY, read_params
from embspace.settings.schema import read_yaml
from embspace.settings.stage import checked_settings, settings_file

SHARED = "page"  # the folder of draw/ that is no chapter
CHAPTERS = [module.name for module in iter_modules(draw.__path__) if module.ispkg]
CHAPTERS.remove(SHARED)
WITH_STAGES = ["compare.ledger", "texts.layer_choice", "runs.pretraining_dynamics"]
WITH_STAGES += ["runs.pretraining_head_dynamics", "texts.label_overlap"]
WITH_STAGES += [
    f"parameters.{noun}" for noun in ("parameter_alignment", "run_head_pairs", "tuning_words")
]
PANEL_MARGIN = 0.04  # inches around a panel's words


def known_figures() -> dict[str, tuple[str, Drawing]]:
    """Return the drawn analyses, with chapter and drawing."""
    figures = dict[str, tuple[str, Drawing]]()
    for module in (*(f"{chapter}.__main__" for chapter in CHAPTERS), *WITH_STAGES):
        drawings = import_module(f"embspace.draw.{module}").DRAWINGS
        figures |= {noun: (module.partition(".")[0], drawing) for noun, drawing in drawings.items()}
    return figures


def write_paper_figure(
    noun: str, name: str, folder: Path, width_mm: float, *, has_panels: bool
) -> list[Path]:
    """Draw an analysis from the results, and write the files for a paper.

    For an analysis without a figure, draw the figure with the analysis's numbers.

    Args:
        noun: The analysis, such as helix.
        name: Owner of the results: a model, a run, a pair, or `toy`.
        folder: Takes `<noun>.pdf`, `<noun>.svg` and `<noun>.tex`, with a figure environment,
            caption and label, and the tables.
        width_mm: Width of the figure, or of a panel; the size of type does not change.
        has_panels: Also write panels as `<noun>_<letter>.pdf`.

    Returns:
        The files written.

    Raises:
        InputError: if the analysis, or the results, do not exist.
    """
    check_drawn(noun, name)
    known = known_figures()
    noun = known[noun][1].drawn_in or noun
    chapter, drawing = known[noun]
    figure, text = _drawn(noun, name, drawing, width_mm)
    title = f"{noun}@{name}"
    caption = take_heading(figure)
    paths = [folder / f"{noun}.pdf", folder / f"{noun}.svg"]
    for path in paths:
        _save(figure, path, title)
    tex = folder / f"{noun}.tex"
    tables = latex_tables(harmless(text), noun, f"draw_{chapter}")
    with writing(tex) as partial:
        partial.write_text(_environment(noun, caption, width_mm) + tables, encoding="utf-8")
    panels = _write_panels(noun, name, drawing, folder, width_mm) if has_panels else []
    return [*paths, tex, *panels]


def _drawn(noun: str, name: str, drawing: Drawing, width_mm: float) -> tuple[Figure, str]:
    use_style(width_mm)
    file = settings_file(drawing.draw)
    settings = checked_settings(
        drawing.draw, read_yaml(file), read_params().model_dump(), str(file)
    )
    label = one_line(label_of(name)).lstrip("| ")
    results = _results(noun, name, drawing)
    with called_as_given(Path()):
        figure, text = drawing.draw(results, label, **settings)
    assert isinstance(figure, Figure)
    letter_panels(figure)
    without_math(figure)
    _fit_legends(figure)
    return figure, text


def _results(noun: str, name: str, drawing: Drawing) -> Any:
    try:
        return drawing.load(noun, name)
    except InputError as error:
        if why := why_no_results(name):
            raise InputError(f"{str(error).partition(': ')[0]}: not found; {why}") from None
        raise


def _fit_legends(figure: Figure) -> None:
    """Reduce the columns of a narrow figure's legends, to keep the legends inside."""
    for legend in [*figure.legends]:
        words = [text.get_text() for text in legend.get_texts()]
        for n_columns in range(len(words) - 1, 0, -1):
            figure.draw_without_rendering()
            if legend.get_window_extent().width <= figure.bbox.width:
                break
            handles = [handle for handle in legend.legend_handles if handle is not None]
            legend.remove()
            legend = figure.legend(handles, words, loc="outside lower left", ncols=n_columns)


def label_of(name: str) -> str:
    """Return the name for readers of a model, run or pair; for a toy, its description."""
    if name == TOY:
        return "a toy, no model"
    if name == ALL_RUNS:
        return "all runs"
    if PAIR in name:
        return labels_of(name)
    files = (CONF / "model" / f"{name}.yaml", CONF / "train" / f"{name}.yaml")
    described = next((file for file in files if file.is_file()), None)
    if described is None:
        return name
    return str(read_yaml(described)["label"])


def _environment(noun: str, caption: str, width_mm: float) -> str:
    return (
        "\\begin{figure}\n\\centering\n"
        f"\\includegraphics[width={width_mm:g}mm]{{{noun}.pdf}}\n"
        f"\\caption{{{escaped(caption)}}}\\label{{fig:{noun}}}\n\\end{{figure}}\n\n"
    )


def _write_panels(
    noun: str, name: str, drawing: Drawing, folder: Path, width_mm: float
) -> list[Path]:
    """Write every panel as a file; the figure is drawn wide enough to give a panel the width."""
    figure, _ = _drawn(noun, name, drawing, width_mm)
    n_columns = max(_columns(ax) for ax in panels_of(figure))
    figure, _ = _drawn(noun, name, drawing, width_mm * n_columns)
    take_heading(figure)
    _share_legends(figure)
    figure.draw_without_rendering()
    figure.set_layout_engine(None)
    paths = []
    for letter, box in _panel_boxes(figure):
        paths.append(folder / f"{noun}_{letter}.pdf")
        _save(figure, paths[-1], f"{noun}@{name}", bbox_inches=box)
    return paths


def _save(figure: Figure, path: Path, title: str, **look: Any) -> None:
    """Write a figure without a date; no record of a stage is kept."""
    suffix = path.suffix.removeprefix(".")
    with writing(path) as partial:
        metadata = {**METADATA[suffix], "Title": title}
        figure.savefig(partial, format=suffix, metadata=metadata, **look)
        if suffix == "svg":
            partial.write_bytes(embedded(partial.read_bytes()))


def _share_legends(figure: Figure) -> None:
    """Give every panel a legend of its own, in the place of the figure's legend."""
    for legend in figure.legends:
        legend.remove()
        for ax in panels_of(figure):
            if ax.get_legend() is None and ax.get_legend_handles_labels()[0]:
                ax.legend()


def _columns(ax: Axes) -> int:
    place = ax.get_subplotspec()
    return place.get_gridspec().ncols if place else 1


def _panel_boxes(figure: Figure) -> Iterator[tuple[str, Bbox]]:
    """Yield the letter of every panel and its place, color bar included, in inches."""
    bars = [ax for ax in figure.axes if ax not in panels_of(figure)]
    for number, panel in enumerate(panels_of(figure)):
        own = [bar for bar in bars if _colored(bar) is panel]
        boxes = [ax.get_tightbbox() for ax in (panel, *own)]
        around = Bbox.union([box for box in boxes if box is not None])
        inches = around.transformed(figure.dpi_scale_trans.inverted())
        yield chr(ord("a") + number), inches.padded(PANEL_MARGIN)


def _colored(bar: Axes) -> Axes | None:
    """Return the panel whose colors a color bar explains."""
    mappable = getattr(getattr(bar, "_colorbar", None), "mappable", None)
    return getattr(mappable, "axes", None)
