"""Loads results, draws all nouns and saves figures and tables, for every drawing stage."""

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import chdir, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pandas as pd
from matplotlib.figure import Figure
from pydantic import BaseModel

from embspace.draw.page.canvas import (
    letter_panels,
    stage_of,
    use_style,
    without_math,
)
from embspace.draw.page.known_drawings import drawing_key, keep_drawing, restore_drawing
from embspace.draw.page.latex import latex_tables
from embspace.draw.page.markdown import for_readers, harmless, with_pointer
from embspace.draw.page.own_texts import called_as_given, own_names
from embspace.errors import one_line
from embspace.files.atomic import write_bytes
from embspace.files.figures import save_figure
from embspace.files.rows import load_rows
from embspace.files.scalars import load_scalars
from embspace.files.tables import load_table
from embspace.files.tensors import load_tensors
from embspace.settings.schema import read_yaml

FOLDERS = {"safetensors": "data/measured", "parquet": "data/projected"}
LOADERS: dict[str, Callable[[str], Any]] = {
    "safetensors": load_tensors,
    "parquet": load_rows,
    "json": load_scalars,
    "csv": load_table,
    "yaml": lambda path: read_yaml(Path(path)),
}
ALL_RUNS = "all_runs"  # the name of a page over all models that we train
WORTH_A_PROCESS = 4  # figures; its start takes as long as to draw one or two


Headings = Mapping[str, Mapping[str, str]]
"""The headings for readers of each table, by column."""


@dataclass(frozen=True)
class Results:
    """The results of a declared analysis, for the drawing."""

    tables: Mapping[str, Any]
    headings: Headings

    def __getitem__(self, name: str) -> Any:
        """Return a table by name, or a file without a name by suffix."""
        return self.tables[name]

    def for_readers(
        self,
        name: str,
        rows: pd.DataFrame | None = None,
        columns: Sequence[str] = (),
        **words: Mapping[Any, str],
    ) -> pd.DataFrame:
        """Return a table with the columns that readers want, under the headings for readers.

        Args:
            name: The name of the table.
            rows: The wanted rows, if not all.
            columns: The wanted columns, bounds included, if not all that have headings.
            words: By column, the words in place of the values.
        """
        table = self.tables[name] if rows is None else rows
        headings = self.headings[name]
        wanted = [f"{column}{end}" for column in columns for end in ("", "_low", "_high")]
        if columns:
            headings = {column: headings[column] for column in wanted if column in headings}
        # Settings decide which columns of a pattern there are.
        table = table.reindex(columns=[*dict.fromkeys([*table, *headings])])
        return for_readers(table, headings, **words)


FigureAndTables = tuple[Figure | str, str]
"""A figure, or the finding of an analysis whose figure is another's; and the tables."""


@dataclass(frozen=True)
class Drawing:
    """Holds the function that draws a noun, and the names of the results that it takes."""

    draw: Callable[..., FigureAndTables]
    results: tuple[str, ...]
    """Names the results for `load_results`."""
    headings: Headings | None = None
    """Holds the headings of a declared analysis, whose function takes `Results`."""
    drawn_in: str = ""
    """The noun with the figure, if the function returns a sentence in its place."""

    def load(self, noun: str, name: str) -> Any:
        """Return the results of a noun as the function takes them."""
        tables = load_results(noun, name, self.results)
        return tables if self.headings is None else Results(tables, self.headings)

    def paths(self, noun: str, name: str) -> list[str]:
        """Return the paths of the results of a noun, for `ALL_RUNS` patterns."""
        return [result_path(noun, name, result) for result in self.results]


def drawing_of(
    draw: Callable[..., FigureAndTables], tables: Path, further: Sequence[str] = ()
) -> Drawing:
    """Return the drawing of a declared analysis by a function `draw_<noun>`, as `drawings_of`."""
    declared = read_yaml(tables)[draw.__name__.removeprefix("draw_")]
    return Drawing(
        draw,
        (*declared["results"], *further),
        headings=declared.get("headings", {}),
        drawn_in=getattr(sys.modules[draw.__module__], "DRAWN_IN", ""),
    )


def drawings_of(*modules: ModuleType, tables: Path | None = None) -> dict[str, Drawing]:
    """Return the drawing of every module `<noun>`, by its function `draw_<noun>`.

    For a declared analysis, the file `tables` has results and headings, and the module may have
    `FURTHER_RESULTS`; any other module names in `RESULTS` all that its function takes. `DRAWN_IN`
    names the analysis whose figure shows the numbers of the module.
    """
    declared = read_yaml(tables) if tables else {}
    drawings = {}
    for module in modules:
        noun = module.__name__.rpartition(".")[2]
        draw = getattr(module, f"draw_{noun}")
        if tables is None or noun not in declared:
            drawn_in = getattr(module, "DRAWN_IN", "")
            drawings[noun] = Drawing(draw, module.RESULTS, drawn_in=drawn_in)
        else:
            further = getattr(module, "FURTHER_RESULTS", ())
            drawings[noun] = drawing_of(draw, tables, further)
    return drawings


def functions_of(drawings: Mapping[str, Drawing]) -> dict[str, Callable[..., Any]]:
    """Return the functions by noun, whose settings the stage takes."""
    return {noun: drawing.draw for noun, drawing in drawings.items()}


def load_results(noun: str, name: str, names: tuple[str, ...]) -> dict[str, Any]:
    """Return the results of a noun by the table's name, or by the suffix if it has no name.

    `name` is the name of a model or a pair, or `toy`; for `ALL_RUNS` the tables of all runs are
    joined, with a column `run`. `pairs.csv` and `csv` are results, `safetensors` the tensors of a
    measure, `parquet` the coordinates of a map. `other/pairs.csv` is a table of another noun, and
    keeps this name; `other/.csv`, a table without a name, is called `other`. Files of any stage
    keep their names, such as `data/extracted/embeddings.parquet`, and so do settings, such as
    `conf/project/tsne.yaml`.
    """
    return {
        file.removesuffix(".csv").rstrip("/"): _load(result_path(noun, name, file))
        for file in names
    }


def _load(path: str) -> Any:
    """Return the content of a file; for a path with `*`, the rows of all these tables."""
    load = LOADERS[path.rpartition(".")[2]]
    if "*" not in path:
        return load(path)
    tables = {file.stem: load(str(file)) for file in _files(path)}
    rows = [pd.DataFrame({"run": run}, table.index).join(table) for run, table in tables.items()]
    filled = [table for table in rows if len(table)] or rows
    return pd.concat(filled, ignore_index=True) if filled else pd.DataFrame()


def _files(path: str) -> list[Path]:
    return sorted(Path().glob(path)) if "*" in path else [Path(path)]


def result_path(noun: str, name: str, result: str) -> str:
    """Return the path of a result that `load_results` names, for `ALL_RUNS` a pattern."""
    name = "*" if name == ALL_RUNS else name
    table, _, suffix = result.rpartition(".")
    if table.startswith("conf/"):
        return result
    if table.startswith("data/"):
        return f"{table}/{name}.{suffix}"
    folder = FOLDERS.get(suffix, "results")
    path = f"{folder}/{'' if '/' in table else noun}/{table}/{name}.{suffix}"
    return "/".join(filter(None, path.split("/")))


def draw_and_save(
    chapter: str,
    drawings: Mapping[str, Drawing],
    name: str,
    label: str,
    settings: Mapping[str, Mapping[str, Any]],
) -> None:
    """Draw and save the figure and the tables of every noun.

    Processes, at most one per core, share the nouns not drawn before; the files are the same on any
    number of cores.

    Args:
        chapter: The rest of the stage's name after `draw_`: a chapter, or a noun drawn alone.
        drawings: The drawings by noun.
        name: The name of the files: a model, a run, a pair or `toy`.
        label: The name for readers.
        settings: The settings by noun.
    """
    root = Path.cwd()
    keys = {
        noun: _key(chapter, noun, drawing, name, label, settings[noun])
        for noun, drawing in drawings.items()
    }
    # Before processes are started, for most often one figure is new, and a start takes longer.
    unknown = [noun for noun, key in keys.items() if not restore_drawing(key, noun, name)]
    calls = [
        (root, chapter, noun, drawings[noun], name, label, settings[noun], keys[noun])
        for noun in unknown
    ]
    n_jobs = n_processes(len(calls))
    if n_jobs == 1:  # to import joblib and tqdm takes as long as to draw a small figure
        for call in calls:
            _draw_noun(*call)
        return
    from joblib import Parallel, delayed
    from tqdm import tqdm

    parallel = Parallel(n_jobs=n_jobs, batch_size=1, return_as="generator_unordered")
    drawn = parallel(delayed(_draw_noun)(*call) for call in calls)
    for _ in tqdm(drawn, total=len(calls), desc="figures", disable=None):
        pass


def _key(
    chapter: str,
    noun: str,
    drawing: Drawing,
    name: str,
    label: str,
    settings: Mapping[str, Any],
) -> str:
    """Return the key under which a drawing is known, if the same was drawn before."""
    sources = [file for path in drawing.paths(noun, name) for file in _files(path)]
    function = f"{drawing.draw.__module__}.{drawing.draw.__qualname__}"
    given = (settings, own_names(Path()))
    return drawing_key(sources, function, chapter, noun, name, label, *given)


def n_processes(n_figures: int) -> int:
    """Return the number of processes: at most one per core, fewer if starting more does not pay."""
    if n_figures < 2 * WORTH_A_PROCESS:
        return 1
    from joblib import cpu_count

    return max(1, min(cpu_count(), n_figures // WORTH_A_PROCESS))


def _draw_noun(
    root: Path,
    chapter: str,
    noun: str,
    drawing: Drawing,
    name: str,
    label: str,
    settings: Mapping[str, Any],
    key: str,
) -> None:
    """Draw a noun, save the files and keep copies in the cache."""
    path = f"figures/{noun}/{name}"
    # A worker outlives the call that started it, and stays in the folder of that call.
    with chdir(root), _naming(path):
        results = drawing.load(noun, name)
        figure, text = drawn(drawing, results, label, settings)
        folder = f"data/drawn/{chapter}/{name}"
        page = text = harmless(text)
        saved = []
        if isinstance(figure, Figure):
            source = source_of(figure, chapter, settings)
            saved = _save_figure(figure, noun, path, folder, source)
        else:
            page = with_pointer(text, figure, drawing.drawn_in, name)
        latex = latex_tables(text, noun, f"draw_{chapter}")
        for file, content in ((f"{path}.md", page), (f"{folder}/{noun}.tex", latex)):
            write_bytes(Path(file), content.encode())
            saved.append(Path(file))
        keep_drawing(key, noun, name, {file: file.read_bytes() for file in saved})


def drawn(
    drawing: Drawing, results: Any, label: str, settings: Mapping[str, Any]
) -> FigureAndTables:
    """Return the figure of results, in embspace's style, or a sentence; and the text of tables.

    Texts are called as the tree of the current folder describes them.
    """
    use_style()
    with called_as_given(Path()):
        # A line that begins with a bar would be one of a table.
        name = one_line(label).lstrip("| ")
        figure, text = drawing.draw(results, name, **settings)
    if isinstance(figure, Figure):
        letter_panels(figure)
        without_math(figure)
    return figure, text


def source_of(figure: Figure, chapter: str, settings: Mapping[str, Any]) -> str:
    """Return the stages behind a figure and the settings of the drawing, in a single line."""
    said = json.dumps(settings, sort_keys=True, default=BaseModel.model_dump)
    return f"{stage_of(figure)} -> draw_{chapter} {said}"


def _save_figure(figure: Figure, noun: str, path: str, folder: str, source: str) -> list[Path]:
    """Save the picture, kept by git, and the vector files, kept by DVC.

    The files name the stage and the item behind the results, and the `source`.
    """
    drawn = (f"{path}.png", f"{folder}/{noun}.svg", f"{folder}/{noun}.pdf")
    name = Path(folder).name
    save_figure(figure, drawn, title=f"{stage_of(figure)}@{name}", source=source)
    return [*map(Path, drawn)]


@contextmanager
def _naming(path: str) -> Iterator[None]:
    """Add to any error the name of the figure that was being drawn."""
    try:
        yield
    except Exception as error:
        error.add_note(f"while drawing {path}")
        raise
