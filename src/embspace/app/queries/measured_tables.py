"""Tables made by an analysis in this process, with the figure and the method."""

from collections.abc import Callable
from contextlib import chdir
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pandas as pd

from embspace.analysis import SCALARS
from embspace.app.queries.measured_inputs import Inputs
from embspace.app.queries.shown import ShownTables
from embspace.errors import InputError
from embspace.files.copies import link_files
from embspace.files.scalars import load_scalars
from embspace.files.tables import load_table
from embspace.graph.declarations import declaration
from embspace.settings.params import TOY

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from embspace.cite.command import Citation


class MeasuredTables(ShownTables):
    """The tables of an analysis by name; numbers without a table are a row, called "json"."""

    def __init__(self, noun: str, inputs: Inputs, make: Callable[[str], Path]) -> None:
        """Take the results of an analysis, and what makes further results for the figure."""
        self._noun, self._inputs, self._make = noun, inputs, make
        analysis = declaration(noun).analysis
        self._model = inputs.model if analysis.over else TOY
        paths = {
            name: str(inputs.folder / path.format(model=self._model))
            for name, path in analysis.outputs.items()
        }
        super().__init__({name: load_table(paths[name]) for name in analysis.tables})
        if analysis.scalars:
            self[SCALARS] = pd.json_normalize(load_scalars(paths[SCALARS]))

    def __reduce__(self) -> tuple[Any, ...]:
        """Have the tables alone pickled: the files of this process are not elsewhere."""
        return ShownTables, (dict(self),)

    def plot(self, **settings: Any) -> "Figure":
        """Return the figure of the analysis, or the figure with the analysis's numbers.

        The settings are from conf/draw/, except the given `settings`.

        Raises:
            InputError: if a setting is unknown or not allowed, or the figure shows results not
                computed in this process.
        """
        from matplotlib import rc_context

        from embspace.draw.page.saving import drawn

        noun, drawing = self._drawing(self._noun)
        if drawing.drawn_in:
            noun, drawing = self._drawing(drawing.drawn_in)
        checked = self._inputs.checked(drawing.draw, settings)
        for path in drawing.paths(noun, "{model}"):
            self._bring(path)
        with rc_context(), chdir(self._inputs.folder):
            results = drawing.load(noun, self._model)
            label = self._inputs.loaded.description.label
            figure: Any = drawn(drawing, results, label, checked)[0]
        return cast("Figure", figure)

    def cite(self, *, latex: bool = False) -> "Citation":
        """Return the method of the analysis in sentences for a paper, and the references.

        Raises:
            InputError: if the analysis has no sentences, or a needed value is missing in a result.
        """
        from embspace.cite.command import cite
        from embspace.cite.facts import NoResults, NoValue

        try:
            with chdir(self._inputs.folder):
                return cite(self._noun, self._model, latex=latex, origin=self._inputs.origin)
        except NoValue as error:
            raise InputError(
                f"the sentences of '{self._noun}': {error.__cause__}; the texts are too few or too "
                "short for it, or the model lacks what is measured"
            ) from error
        except NoResults as error:
            path = str(error).partition(":")[0]
            raise InputError(
                f"the sentences of '{self._noun}': {path} is no result of this process"
            ) from error

    def _drawing(self, noun: str) -> tuple[str, Any]:
        from embspace import draw
        from embspace.draw.page.saving import drawings_of

        if noun == self._noun and not declaration(noun).analysis.is_drawn:
            raise InputError(f"analysis: found '{noun}', which has no figure")
        [file] = Path(draw.__path__[0]).glob(f"*/{noun}.py")
        module = import_module(f"embspace.draw.{file.parent.name}.{noun}")
        return noun, drawings_of(module, tables=file.with_name("tables.yaml"))[noun]

    def _bring(self, path: str) -> None:
        """Put a file of the figure into the tree of these results."""
        target = self._inputs.folder / path.format(model=self._model)
        if target.exists():
            return
        source = self._make(path) if self._inputs.knows(path) else None
        if source is None or not source.exists():
            raise InputError(f"the figure of '{self._noun}' shows {path}; a study has it")
        if source != target:
            link_files(source, target)
