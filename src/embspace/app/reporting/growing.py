"""Draws the analyses of a report while its stages run, and fills the page with them."""

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import chdir, contextmanager, suppress
from pathlib import Path
from time import monotonic

from embspace.app.prune import name_of
from embspace.app.reporting.parts import Analysis, item_of
from embspace.app.repro.side_by_side import Step
from embspace.errors import InputError, counted
from embspace.files.atomic import writing
from embspace.files.copies import copy_file
from embspace.settings.params import read_params
from embspace.settings.schema import read_yaml
from embspace.settings.stage import checked_settings, settings_file

COPIED = ("results", "figures", "data/drawn")
DRAWINGS = Path(".cache/drawings")
DONE = ("ends", "cached", "current")
RELOAD = 15  # seconds between two looks of a page that is being filled
SHARE = 10  # to write the page takes at most such a part of the time
Shown = Callable[[Path], None]


class GrowingPage:
    """The page of a report, index.html in the report's folder, from the first line to the last.

    An analysis is drawn when the stages for its results have ended, and from then on stands on the
    page whenever this is written, whole or not at all.
    """

    def __init__(
        self,
        tree: Path,
        model: str,
        target: Path,
        stages: Mapping[Analysis, Sequence[str]],
        *,
        own_texts: bool,
        written: Sequence[str],
        left_out: Mapping[str, list[str]],
        shown: Shown,
    ) -> None:
        """Take what is to be drawn: the addresses of the `stages` that each analysis needs.

        `written` are the model and the corpora, as commands take them; `shown` is called whenever
        the page is written.
        """
        self._tree, self._model, self._target = tree, model, target
        self._stages, self._done = dict(stages), set[str]()
        self._own_texts, self._written_as, self._left_out = own_texts, written, left_out
        self._shown = shown
        self._drawn = list[Analysis]()
        self._written, self._cost = 0.0, 0.0
        self._has_more = False  # than the page, as it was written last

    @property
    def page(self) -> Path:
        """Return the page."""
        return self._target / "index.html"

    def begin(self) -> None:
        """Write the page with the results that exist, before any stage runs."""
        for folder in COPIED:
            shutil.rmtree(self._target / folder, ignore_errors=True)
        self._write(self._said_running(None), RELOAD)

    def follow(self, steps: Iterator[Step]) -> Iterator[Step]:
        """Yield the steps of a run, draw completed analyses, and write the page now and then."""
        for step in steps:
            yield step
            if step.kind in DONE:
                self._done.add(step.stage)
                self._has_more = self._draw_ready() or self._has_more
            is_time = monotonic() - self._written > max(RELOAD, SHARE * self._cost)
            if self._has_more and is_time:
                self._write(self._said_running(step), RELOAD)

    def end(self) -> None:
        """Write the page in its final form.

        Raises:
            InputError: if an analysis could not be drawn, because its stages have not ended.
        """
        self._draw_ready()
        if lacking := self._waiting():
            raise InputError(f"not drawn: {', '.join(lacking)}")
        self._write("", 0)

    @contextmanager
    def told_if_ended(self) -> Iterator[None]:
        """Write on the page if a run has ended early."""
        try:
            yield
        except BaseException as error:
            why = f"stopped: {error}" if isinstance(error, InputError) else "was ended"
            with suppress(InputError, OSError):  # which would hide the reason
                if self.page.is_file() and self._written:
                    self._write(f"The run {why}. The same command goes on where it was.", 0)
            raise

    def _said_running(self, step: Step | None) -> str:
        if step is None:
            return "This report is being computed; the page fills by itself."
        return (
            f"This report is being computed: {step.n_done} of {counted(step.n_stages, 'stage')} "
            "done; the page fills by itself."
        )

    def _waiting(self) -> list[str]:
        return [analysis.noun for analysis in self._stages if analysis not in self._drawn]

    def _draw_ready(self) -> bool:
        """Draw the analyses with ended stages; return whether any was drawn."""
        ready = [
            analysis
            for analysis, addresses in self._stages.items()
            if analysis not in self._drawn and {*map(item_of, addresses)} <= self._done
        ]
        for analysis in ready:
            draw_analysis(self._tree, analysis, self._model)
            self._copy(analysis)
            self._drawn.append(analysis)
        return bool(ready)

    def _copy(self, analysis: Analysis) -> None:
        """Copy the files linked from the page: the drawing, and the results of the analysis."""
        noun = analysis.noun
        folders = (f"results/{noun}", f"figures/{noun}")
        files = [file for folder in folders for file in (self._tree / folder).rglob("*.*")]
        files += (self._tree / f"data/drawn/{analysis.chapter}/{self._model}").glob(f"{noun}.*")
        for file in sorted(files):
            place = file.relative_to(self._tree)
            if file.is_file() and name_of(place) == self._model:
                copy_file(file, self._target / place)

    def _write(self, said: str, reload_seconds: int) -> None:
        from embspace.app.explorer.fragment_of import explorer_of
        from embspace.app.page.model import Progress, page_of
        from embspace.draw.page.own_texts import called_as_given

        start, place = monotonic(), (self._tree, self._model)
        has_maps = any(analysis.is_map for analysis in self._drawn)
        nouns = [analysis.noun for analysis in self._drawn]
        with called_as_given(self._tree):
            text = page_of(
                *place,
                own_texts=self._own_texts,
                written=self._written_as,
                # While it is filled, without the explorer: it is large, and a reload forgets its
                # state.
                explorer=None if reload_seconds or not has_maps else explorer_of(*place, nouns),
                nouns=nouns,
                progress=Progress(said, self._waiting(), self._left_out, reload_seconds),
                study=Path.cwd(),
            )
        with writing(self.page) as partial:
            partial.write_text(text, encoding="utf-8")
        self._has_more = False
        self._written = monotonic()
        self._cost = self._written - start
        self._shown(self.page)


def draw_analysis(tree: Path, analysis: Analysis, name: str) -> None:
    """Draw an analysis of a model, run or pair of a name, from the results in a tree.

    It is drawn as by its stage; an earlier drawing of the same results is taken from the cache.
    """
    from embspace.app.paper import known_figures, label_of
    from embspace.draw.page.saving import draw_and_save

    noun = analysis.noun
    drawing = known_figures()[noun][1]
    with chdir(tree):
        file = settings_file(drawing.draw)
        params = read_params().model_dump()
        settings = checked_settings(drawing.draw, read_yaml(file), params, str(file))
        draw_and_save(analysis.chapter, {noun: drawing}, name, label_of(name), {noun: settings})


def share_drawings(root: Path, tree: Path) -> None:
    """Let a tree take and keep its drawings in the cache of the study in `root`."""
    if tree != root and not (tree / DRAWINGS).exists():
        (root / DRAWINGS).mkdir(parents=True, exist_ok=True)
        (tree / DRAWINGS).parent.mkdir(parents=True, exist_ok=True)
        (tree / DRAWINGS).unlink(missing_ok=True)
        (tree / DRAWINGS).symlink_to(root / DRAWINGS, target_is_directory=True)
