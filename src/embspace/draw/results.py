"""What every drawing stage does: load results, draw each noun, save its figure and its tables."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from embspace.draw.canvas import stage_of, use_style
from embspace.draw.latex import latex_tables
from embspace.files.atomic import write_bytes
from embspace.files.figures import save_figure
from embspace.files.rows import load_rows
from embspace.files.scalars import load_scalars
from embspace.files.tables import load_table
from embspace.files.tensors import load_tensors

Drawing = Callable[..., tuple[Figure, str]]


def load_results(noun: str, name: str, names: tuple[str, ...]) -> dict[str, Any]:
    """The results of a noun by the name of the table; those without one by their suffix.

    `name` is the model's, or `toy`. `pairs.csv` and `csv` are results, `safetensors` the tensors
    that a measure left, `parquet` the coordinates of a map.
    """
    loaded: dict[str, Any] = {}
    for each in names:
        table, _, suffix = each.rpartition(".")
        if suffix == "safetensors":
            loaded[suffix] = load_tensors(f"data/measured/{noun}/{name}.safetensors")
        elif suffix == "parquet":
            loaded[suffix] = load_rows(f"data/projected/{noun}/{name}.parquet")
        elif suffix == "json":
            loaded[suffix] = load_scalars(f"results/{noun}/{name}.json")
        else:
            folder = f"results/{noun}/{table}" if table else f"results/{noun}"
            loaded[table or suffix] = load_table(f"{folder}/{name}.csv")
    return loaded


def draw_and_save(
    drawings: Mapping[str, Drawing],
    results: Mapping[str, tuple[str, ...]],
    name: str,
    label: str,
    settings: Mapping[str, Mapping[str, Any]],
) -> None:
    """Draw and save the figure and the tables of every noun of `results`, in order.

    All three mappings are by noun; `name` is that of the files.
    """
    use_style()
    for noun, tables in results.items():
        figure, text = drawings[noun](load_results(noun, name, tables), label, **settings[noun])
        _save(figure, text, noun, f"figures/{noun}/{name}", item=f"@{name}")


def draw_compared_and_save(
    drawings: Mapping[str, Drawing],
    results: Mapping[str, tuple[str, ...]],
    label: str,
    settings: Mapping[str, Mapping[str, Any]],
) -> None:
    """The same of what compares models, which lies in one table a noun."""
    use_style()
    for noun, tables in results.items():
        loaded = {suffix: load_table(f"results/compare/{noun}.{suffix}") for suffix in tables}
        figure, text = drawings[noun](loaded, label, **settings[noun])
        _save(figure, text, noun, f"figures/compare/{noun}", item="")


def _save(figure: Figure, text: str, noun: str, path: str, item: str) -> None:
    """Figure and tables; inside the figure's file stands the stage, and which item of it."""
    save_figure(figure, path, title=f"{stage_of(figure)}{item}")
    write_bytes(Path(f"{path}.md"), text.encode())
    write_bytes(Path(f"{path}.tex"), latex_tables(text, noun).encode())
