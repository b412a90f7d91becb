"""Tables of a model and some texts, by the stages of the pipeline, in a separate tree."""

import hashlib
import sys
from functools import cached_property
from typing import TYPE_CHECKING

from embspace.app.checks.long_stimuli import check_stimuli
from embspace.app.describe.find import find_model
from embspace.app.working_tree import TREES, OwnTexts, WorkingTree
from embspace.errors import did_you_mean
from embspace.settings.pipeline import fill_item, read_stages

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd

# A table without a name of its own is called by its suffix.
UNNAMED = ("csv", "summary", "json")
OF_A_MODEL = ({"model": "${models}"}, {"model": "${profiled}"})  # matrices of stages


class Tables:
    """The tables of the analyses of a model, computed on demand."""

    def __init__(self, model: str, source: str, corpus: str, content: bytes, root: "Path") -> None:
        """Take the name of a model, the user's name, folder or repository, and the texts."""
        self.model, self.corpus = model, corpus
        self._source, self._content, self._root = source, content, root
        self._made: set[str] = set()

    @cached_property
    def tree(self) -> WorkingTree:
        """Return the tree, with the settings and texts of now."""
        digest = hashlib.sha256(self._content).hexdigest()[:16]
        folder = self._root / TREES / f"{self.model}--{self.corpus}-{digest}"
        tree = WorkingTree(self._root, folder)
        texts = OwnTexts(self.corpus, self.corpus, ".jsonl", self._content)
        described = find_model(self._source, self._root, None).described
        tree.update(self.model, None, texts, described, layers=True)
        return tree

    def table(self, noun: str, name: str | None = None) -> "pd.DataFrame":
        """Return a table, as `Spaces.table` says."""
        stage, files = self._stage_and_results(noun)
        default = next((key for key in UNNAMED if key in files), None)
        chosen = next(iter(files)) if len(files) == 1 else default
        if (name or chosen) not in files:
            raise KeyError(f"of '{noun}', found {name!r}; there are {', '.join(sorted(files))}")
        if stage not in self._made:
            check_stimuli(self.tree.folder, self.tree.stages(stage))
            for step in self.tree.reproduce(stage):
                if step.kind == "starts":
                    print(f"embspace: {step.stage}{step.time_left}", file=sys.stderr)
            self._made.add(stage)
        file = self.tree.folder / files[str(name or chosen)]
        if file.suffix == ".csv":
            from embspace.files.tables import load_table

            return load_table(str(file))
        import pandas as pd

        from embspace.files.scalars import load_scalars

        return pd.json_normalize(load_scalars(str(file)))

    def _stage_and_results(self, noun: str) -> tuple[str, dict[str, str]]:
        """Return the stage of an analysis, and the results by the name of the table."""
        parts = {
            made: stage
            for name, stage in read_stages(self._root).items()
            if name.startswith(("measure_", "project_")) and stage.entry.get("matrix")
            for made in stage.nouns()
        }
        stages = {name: part for name, part in parts.items() if part.entry["matrix"] in OF_A_MODEL}
        if noun in parts and noun not in stages:
            (key,) = (str(over).strip("${}") for over in parts[noun].entry["matrix"].values())
            raise KeyError(
                f"'{noun}' is of what `{key}` in params.yaml names, not of a model and texts; in a "
                f"study, `embspace run {noun}` makes it"
            )
        if noun not in stages:
            meant = did_you_mean(noun, stages) or ";"
            raise KeyError(f"found '{noun}'{meant} there are {', '.join(sorted(stages))}")
        stage = stages[noun]
        results = {}
        for out in stage.outputs():
            if out.startswith(f"results/{noun}/"):
                folder, _, file = out.removeprefix(f"results/{noun}/").rpartition("/")
                name = folder or file.rpartition(".")[2]
                results[name] = fill_item(out, {"model": self.model})
        return stage.address(self.model), results
