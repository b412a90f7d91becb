"""Input files of analyses in this process, in a temporary tree: settings, vectors, states."""

from collections.abc import Callable, Mapping
from contextlib import chdir
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from embspace.analysis import PIN
from embspace.app.reporting.about import be_about
from embspace.app.working_tree import COPIED_FILES, OwnTexts, add_texts, as_yaml
from embspace.clouds.texts import TEXT_FOLDERS
from embspace.files.copies import copy_file, link_files, mirror_folder, write_changed
from embspace.files.rows import save_rows
from embspace.files.tensors import save_tensors
from embspace.graph.declarations import modules
from embspace.loaded.given import reading
from embspace.loaded.model import LoadedModel
from embspace.loaded.states import States, read_states, save_states
from embspace.settings.corpus import Corpus, describe_corpus
from embspace.settings.params import CONF, PARAMS
from embspace.settings.pipeline import graph_files
from embspace.settings.schema import read_yaml
from embspace.settings.stage import checked_settings, settings_file

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

IN_MEMORY = "loaded"  # of files, for a model of the user's, whose name may be a path
EMBEDDINGS = "data/extracted/embeddings"
STATES, TEXTS = (folder.replace("/{model}", "") for folder in TEXT_FOLDERS)
STIMULI, PREPARED_STIMULI = "data/extracted/stimuli", "data/prepared/stimuli"
WRITTEN = "data/stimuli"  # what people have written for analyses
BY_HAND = (f"{CONF}/", f"{WRITTEN}/")
MADE = ("results", "data/measured", "data/projected")  # folders of what analyses make


@dataclass(frozen=True)
class Held:
    """The inputs of a model and texts in spaces, read at the first access and then kept."""

    learned: Callable[[], tuple[dict[str, "np.ndarray"], "pd.DataFrame"]]
    states: Callable[[], States]


@dataclass(frozen=True)
class Inputs:
    """The tree in `folder` with the inputs of a model and texts, made on demand."""

    loaded: LoadedModel
    texts: OwnTexts
    root: Path
    """The tree with conf/."""
    folder: Path
    held: Held

    @property
    def model(self) -> str:
        """The name of the model in paths."""
        return IN_MEMORY if self.loaded.source is None else self.loaded.name

    @property
    def origin(self) -> str:
        """Return the origin of a user's model, as in a sentence after "was"; "" for files."""
        module = self.loaded.module
        if self.loaded.source is not None:
            return ""
        number_format = str(next(module.parameters()).dtype).removeprefix("torch.")
        return f"a model in memory ({type(module).__name__}, {number_format})"

    @cached_property
    def params(self) -> dict[str, Any]:
        """The content of params.yaml here: the user's, but of this model and these texts."""
        users = read_yaml(self.root / PARAMS)
        own = {"models": [self.model], "profiled": [self.model], "corpora": [self.texts.name]}
        none: dict[str, Any] = dict.fromkeys(("checkpointed", "trained", "run_pages"), [])
        return users | own | none | {"compared": {}, "device": self.loaded.device}

    def write_settings(self) -> None:
        """Write params.yaml, conf/ and the graph, of this model and these texts."""
        for folder in filter(Path.is_dir, (self.root / CONF, self.root / WRITTEN)):
            mirror_folder(folder, self.folder / folder.relative_to(self.root))
        for file in (*graph_files(self.root), *map(Path, COPIED_FILES)):
            if (self.root / file).is_file():
                copy_file(self.root / file, self.folder / file)
        write_changed(self.folder / PARAMS, as_yaml(self.params))
        add_texts(self.folder, self.texts)
        be_about(self.folder, [self.texts.name])
        described = self.loaded.description.model_dump(mode="json", exclude_defaults=True)
        write_changed(self.folder / CONF / "model" / f"{self.model}.yaml", as_yaml(described))

    def with_settings(self, function: Callable[..., Any], settings: Mapping[str, Any]) -> "Inputs":
        """Return a tree with the files of this tree, and different settings of a function."""
        number = len([*self.folder.parent.iterdir()])
        other = replace(self, folder=self.folder.parent / str(number))
        link_files(self.folder, other.folder)
        file = settings_file(function, other.folder)
        write_changed(file, as_yaml({**read_yaml(file), **settings}))
        return other

    def checked(
        self, function: Callable[..., Any], settings: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """Return the settings of a function of a stage.

        Raises:
            InputError: naming the key that is unknown or not allowed.
        """
        file = settings_file(function, self.folder)
        content = read_yaml(file) | dict(settings or {})
        return checked_settings(function, content, self.params, str(file.relative_to(self.folder)))

    def knows(self, path: str) -> bool:
        """Return whether a file, or folder, is made here or by a declared analysis."""
        return path == PIN or path.startswith((*MAKERS, *BY_HAND)) or bool(maker_of(path))

    def make(self, path: str) -> Path:
        """Make a missing file or folder, and return the path.

        `{model}` in the path stands for the name of the model.

        Raises:
            InputError: if a text or stimulus cannot be read, or the disk is full.
        """
        place = self.folder / path.format(model=self.model)
        if not place.exists():
            for start, make in MAKERS.items():
                if path.startswith(start):
                    make(self)
        return place

    def _make_vectors(self) -> None:
        matrices, vocabulary = self.held.learned()
        save_rows(vocabulary, f"{self.folder}/{EMBEDDINGS}/{self.model}.parquet")
        save_tensors(matrices, f"{self.folder}/{EMBEDDINGS}/{self.model}.safetensors")

    def _make_states(self) -> None:
        from embspace.prepare.texts import prepare_texts

        name = self.texts.name
        corpus = describe_corpus(name, read_yaml(self.folder / CONF / "corpus" / f"{name}.yaml"))
        with chdir(self.folder):
            texts = prepare_texts(name, corpus)
        path = f"{self.folder}/{STATES}/{self.model}/{name}"
        if self.loaded.source is None:
            self._write_held(texts, path)
        else:
            self._read_as_the_stage(texts, corpus, path)
        save_rows(texts, f"{self.folder}/{TEXTS}/{name}.parquet")

    def _write_held(self, texts: "pd.DataFrame", path: str) -> None:
        """Write the states held by spaces, for the user may have changed the model meanwhile."""
        from embspace.prepare.sentences import split_halves

        states, halves = self.held.states(), split_halves(texts)
        rows = halves["text"].tolist() if states.rows.cut else []
        made = read_states(self.loaded, rows, self.root, {}, token_states=False)
        named = replace(made.rows, names=halves["id"].tolist() if made.rows.cut else [])
        save_states(states, path)
        save_states(replace(made, rows=named), f"{path}.halves")

    def _read_as_the_stage(self, texts: "pd.DataFrame", corpus: Corpus, path: str) -> None:
        from embspace.extract.hidden_states import (
            extract_hidden_states,
            save_hidden_states,
            states_by_part,
        )

        loaded, settings = self.loaded, self.checked(extract_hidden_states)
        read = loaded.description, loaded.module, loaded.tokenizer, loaded.modules
        for part, states in states_by_part(*read, texts, corpus, settings):
            save_hidden_states(states, f"{path}{part}")

    def _make_stimuli(self) -> None:
        from embspace.extract.stimuli import extract_stimuli, save_stimuli
        from embspace.prepare.stimuli import prepare_stimuli

        loaded = self.loaded
        with chdir(self.root):  # which the paths in conf/ are relative to
            tables = prepare_stimuli(**self.checked(prepare_stimuli))
        settings = self.checked(extract_stimuli)
        with reading(loaded):
            sets = extract_stimuli(
                loaded.description, loaded.module, loaded.tokenizer, tables, **settings
            )
            for name, states in sets.items():
                save_stimuli(states, f"{self.folder}/{STIMULI}/{self.model}/{name}")
        for name, table in tables.items():
            save_rows(table, f"{self.folder}/{PREPARED_STIMULI}/{name}.parquet")


def maker_of(path: str) -> str:
    """Return the analysis that makes the results at a path; "" without a declared analysis."""
    home = next((home for home in MADE if path.startswith(f"{home}/")), None)
    noun = Path(path).relative_to(home).parts[0] if home else ""
    return noun if noun in modules() else ""


MAKERS: Mapping[str, Callable[[Inputs], None]] = {
    EMBEDDINGS: Inputs._make_vectors,
    STATES: Inputs._make_states,
    TEXTS: Inputs._make_states,
    STIMULI: Inputs._make_stimuli,
    PREPARED_STIMULI: Inputs._make_stimuli,
}
