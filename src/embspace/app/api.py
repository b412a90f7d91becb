"""The spaces of a model, and its tables, in three lines of Python.

All is made by the stages of the pipeline with the settings of conf/, in a tree of its own under
.cache/trees/, so that numbers are those of `dvc repro`. The first call with a model and texts, and
the first look at a table, run the stages that are needed and name them on stderr; later ones, also
in another process, read what they left.

>>> import embspace
>>> s = embspace.spaces("minilm", ["The tide was out.", "Bread needs salt."])
>>> s
Spaces(model='minilm', texts=2, layers=7, dimension=384)
>>> s["input"].shape, s["positional"].shape, s["segment"].shape
((30522, 384), (512, 384), (2, 384))
>>> s["layer", 4].shape, list(s.tokens["token"][:7])
((13, 384), ['[CLS]', 'the', 'tide', 'was', 'out', '.', '[SEP]'])
>>> s["layer", -1, "mean"].shape
(2, 384)
>>> s["sentence"].shape
(2, 384)
>>> s["layer", 9]
Traceback (most recent call last):
    ...
KeyError: "found ('layer', 9); there are 'input', 'positional', 'segment', ('layer', 0 to 6), \
('layer', 0 to 6, 'cls' or 'mean' or 'max' or 'last' or 'weightedmean' or \
'mean_sqrt_len_tokens'), 'first_last', 'sentence'"
"""

import hashlib
import json
import sys
from collections.abc import Iterable
from contextlib import chdir
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Float

from embspace.app.checks.long_stimuli import check_stimuli
from embspace.app.checks.probed import check_probed
from embspace.app.describe import check_complete, find_model
from embspace.app.working_tree import TREES, OwnTexts, WorkingTree, find_root
from embspace.clouds.pooling import FIRST_LAST, SENTENCE, SQRT, TOKEN_POOLINGS
from embspace.errors import InputError, did_you_mean
from embspace.settings.pipeline import of_item, read_stages

if TYPE_CHECKING:
    import pandas as pd

    from embspace.app.queries.cosine import Comparison

CORPUS = "texts"
FINAL_NORM = "final_norm_"  # begins the names of such tensors
# A table without a name of its own is called by its suffix.
UNNAMED = ("csv", "summary", "json")
MatrixKey = str | tuple[str | int, ...]


def spaces(model: str | Path, texts: Iterable[str]) -> "Spaces":
    """Return the spaces of a model, and what it makes of `texts`.

    `model` is one of conf/model/, a folder in the hub's layout, or a repository of the hub.

    The tree is the one that the current folder lies in, else the one that embspace is installed
    from. A model of the hub must be fetched first, by `embspace fetch` or `embspace report`.

    Raises:
        InputError: if the model is not known, or if the texts are none, or one of them is empty
            or no string; with what a stage said that failed.
    """
    content = _as_json_lines(texts)
    root = find_root()
    found = find_model(str(model), root, None)
    check_complete(found, str(model))
    if found.described is None:
        check_probed(found.name, root)
    digest = hashlib.sha256(content).hexdigest()[:16]
    tree = WorkingTree(root, root / TREES / f"{found.name}--{CORPUS}-{digest}")
    tree.update(found.name, None, OwnTexts(CORPUS, CORPUS, ".jsonl", content), found.described)
    made = Spaces(found.name, content.count(b"\n"), tree)
    made._make(made._states_stage, made._matrices_stage)
    return made


@dataclass(frozen=True, repr=False)
class Spaces:
    """The result of `spaces`: arrays by key, tables by noun. Layer 0 is the embedding output.

    | key | array, float32 |
    |---|---|
    | `"input"`, `"positional"`, `"segment"` | learned table, (n, dim), if the model has it |
    | `("layer", 4)` | states of the tokens of all texts, (n_tokens, dim); rows: `tokens` |
    | `("layer", 4, "mean")` | a pooling of `TOKEN_POOLINGS`, a row a text window; rows: `windows` |
    | `"first_last"` | the mean of layer 1 and the last layer, by mean pooling; rows: `windows` |
    | `"sentence"` | the vector of each text as the makers of a sentence model take it |
    | `"final_norm"`, `("final_norm", "mean")` | the same behind a norm after the last block |

    `("layer", -1)` is the last layer. `"sentence"` is what sentence-transformers' `encode` gives of
    a text that one window holds; of a longer one it is the mean over its windows.
    """

    model: str
    texts: int
    """The number of texts."""
    tree: WorkingTree
    _made_stages: set[str] = field(default_factory=set, repr=False, compare=False)

    def __repr__(self) -> str:
        from embspace.files.tensors import map_tensors

        layers, _, dimension = map_tensors(str(self._states), ("token",))["token"].shape
        return f"Spaces(model={self.model!r}, texts={self.texts}, {layers=}, {dimension=})"

    def __getitem__(self, key: MatrixKey) -> Float[np.ndarray, "n dim"]:
        """Return the array of a space.

        Raises:
            KeyError: if there is no such space, listing those there are.
            InputError: with what a stage said that failed.
        """
        from embspace.files.tensors import map_tensors

        if isinstance(key, str) and key in self._shapes(self._matrices):
            return np.array(map_tensors(str(self._matrices), (key,))[key])
        tensor, layer, pooling = self._tensor_of(key)
        states = map_tensors(str(self._states), (tensor,))[tensor]
        if pooling == FIRST_LAST:
            return np.asarray((states[1] + states[-1]) / 2)
        if pooling == SQRT:
            lengths = np.sqrt(self.windows["n_tokens"].to_numpy())[:, None]
            return (states[layer] * lengths).astype(np.float32)
        return np.array(states[layer])

    @property
    def tokens(self) -> "pd.DataFrame":
        """Return the rows of `s["layer", i]`: token, id, window, place in text and in window."""
        return self._rows(self._of_states("tokens.parquet"))

    @property
    def windows(self) -> "pd.DataFrame":
        """Return the rows of `s["layer", i, "mean"]`: text, counted from 1, and window, from 0.

        A text longer than a window of the model has several.
        """
        return self._rows(self._of_states("windows.parquet"))

    @property
    def vocabulary(self) -> "pd.DataFrame":
        """Return the rows of `s["input"]`."""
        return self._rows(self._matrices.with_suffix(".parquet"))

    def table(self, noun: str, name: str | None = None) -> "pd.DataFrame":
        """Return a table of an analysis: results/<noun>/[<name>/]<model>.csv, computed if need be.

        Without `name`, the one without a name or else `summary`. What stands in a .json file is
        one row, called "json".

        Raises:
            KeyError: if there is no such analysis or table, or several to choose from.
            InputError: if it reads stimuli that are too long for the model; with what a stage said
                that failed.
        """
        stage, files = self._tables(noun)
        default = next((each for each in UNNAMED if each in files), None)
        chosen = next(iter(files)) if len(files) == 1 else default
        if (name or chosen) not in files:
            raise KeyError(f"of '{noun}', found {name!r}; there are {', '.join(sorted(files))}")
        if stage not in self._made_stages:
            check_stimuli(self.tree.folder, self.tree.stages(stage))
        self._make(stage)
        file = self.tree.folder / files[str(name or chosen)]
        if file.suffix == ".csv":
            from embspace.files.tables import load_table

            return load_table(str(file))
        import pandas as pd

        from embspace.files.scalars import load_scalars

        return pd.json_normalize(load_scalars(str(file)))

    def cosine(
        self, first: str, second: str, *, layer: int = -1, pooling: str | None = None
    ) -> "Comparison":
        """Return the cosine of two texts, and where it stands among all pairs of the texts.

        Without a pooling by `"sentence"`, if it is there; else the last token of a decoder, or the
        mean of the tokens.

        As is and without the mean, with intervals; of two single tokens, among all pairs of the
        vocabulary, too.

        Raises:
            InputError: if the layer or pooling is not known, or a text is empty, longer than a
                window of the model, or has no token that it knows.
        """
        from embspace.app.queries.cosine import compare_texts

        self._make(self._states_stage, self._matrices_stage)
        with chdir(self.tree.folder):
            try:
                return compare_texts(
                    self.model, CORPUS, first, second, layer=layer, pooling=pooling
                )
            except InputError as error:  # that names an option of the command
                raise InputError(str(error).removeprefix("--")) from error

    @property
    def _matrices_stage(self) -> str:
        return f"extract_embeddings@{self.model}"

    @property
    def _states_stage(self) -> str:
        return f"extract_hidden_states@{self.model}-{CORPUS}"

    @property
    def _matrices(self) -> Path:
        return self.tree.folder / f"data/extracted/embeddings/{self.model}.safetensors"

    @property
    def _states(self) -> Path:
        return self._of_states("safetensors")

    def _of_states(self, ending: str) -> Path:
        return self.tree.folder / f"data/extracted/hidden_states/{self.model}/{CORPUS}.{ending}"

    def _make(self, *stages: str) -> None:
        """Bring stages and what they need up to date, and name on stderr those that run."""
        lacking = [stage for stage in stages if stage not in self._made_stages]
        if not lacking:
            return
        for step in self.tree.reproduce(*lacking):
            if step.kind == "starts":
                print(f"embspace: {step.stage}{step.time_left}", file=sys.stderr)
        self._made_stages.update(lacking)

    def _tensor_of(self, key: MatrixKey) -> tuple[str, int, str]:
        """Return which tensor of the hidden states a key names, which layer, and the pooling."""
        shapes = self._shapes(self._states)
        places: dict[tuple[str | int, ...], tuple[str, int, str]] = {}
        for tensor, n_layers in shapes.items():
            kind = tensor.removeprefix(FINAL_NORM)
            if kind == SENTENCE:
                places[SENTENCE,] = tensor, 0, SENTENCE
                continue
            for pooling in (kind, SQRT) if kind == "mean" else (kind,):
                ending = () if kind == "token" else (pooling,)
                if tensor.startswith(FINAL_NORM):
                    places["final_norm", *ending] = tensor, 0, pooling
                else:
                    layers = range(-n_layers, n_layers)
                    places |= {("layer", at, *ending): (tensor, at, pooling) for at in layers}
        if shapes["mean"] > 1:
            places[FIRST_LAST,] = "mean", 0, FIRST_LAST
        wanted = (key,) if isinstance(key, str) else key
        if wanted not in places:
            raise KeyError(f"found {key!r}; there are {', '.join(self._keys(shapes))}")
        return places[wanted]

    def _keys(self, states: dict[str, int]) -> list[str]:
        """Return what may stand in brackets, with the range of layers in the place of each."""
        poolings = " or ".join(map(repr, TOKEN_POOLINGS))
        layers = f"'layer', 0 to {states['token'] - 1}"
        keys = [*map(repr, sorted(self._shapes(self._matrices), key=_in_order)), f"({layers})"]
        keys.append(f"({layers}, {poolings})")
        if f"{FINAL_NORM}token" in states:
            keys += ["'final_norm'", f"('final_norm', {poolings})"]
        return [*keys, repr(FIRST_LAST), *([repr(SENTENCE)] if SENTENCE in states else [])]

    @staticmethod
    def _shapes(file: Path) -> dict[str, int]:
        """Return the first dimension of each tensor of a file: the layers of states."""
        from safetensors import safe_open

        with safe_open(file, framework="numpy") as tensors:
            names = tensors.keys()
            return {name: tensors.get_slice(name).get_shape()[0] for name in names}

    def _tables(self, noun: str) -> tuple[str, dict[str, str]]:
        """Return the stage of an analysis, and its results by the name of the table."""
        stages = {
            each: part
            for name, stage in read_stages(self.tree.folder).items()
            if name.startswith(("measure_", "project_")) and stage.entry.get("matrix")
            for part in stage.by_family()
            for each in part.nouns()
        }
        if noun not in stages:
            meant = did_you_mean(noun, stages) or ";"
            raise KeyError(f"found '{noun}'{meant} there are {', '.join(sorted(stages))}")
        stage, outs = stages[noun], stages[noun].outputs()
        found = {}
        for out in (each for each in outs if each.startswith(f"results/{noun}/")):
            folder, _, file = out.removeprefix(f"results/{noun}/").rpartition("/")
            found[folder or file.rpartition(".")[2]] = of_item(out, {"model": self.model})
        return stage.address(self.model), found

    @staticmethod
    def _rows(file: Path) -> "pd.DataFrame":
        from embspace.files.rows import load_rows

        return load_rows(str(file))


def _in_order(space: str) -> tuple[int, str]:
    """Return a sort key: as spaces are added up in a model, others behind."""
    order = ("input", "positional", "segment")
    return (order.index(space) if space in order else len(order), space)


def _as_json_lines(texts: object) -> bytes:
    """Return the texts as a corpus's file, numbered from 1."""
    if isinstance(texts, str):
        raise InputError("texts: found one string, expected a list of them: [text]")
    if not isinstance(texts, Iterable):
        raise InputError(f"texts: found {texts!r:.60}, expected a list of strings")
    lines = []
    for number, text in enumerate(texts, 1):
        if not isinstance(text, str):
            raise InputError(f"texts: text {number} is {text!r:.60}, not a string")
        if not text.strip():
            raise InputError(f"texts: text {number} is empty")
        try:
            text.encode()
        except UnicodeEncodeError:
            raise InputError(f"texts: text {number} is not UTF-8") from None
        lines.append(json.dumps({"id": str(number), "text": text}, ensure_ascii=False))
    if not lines:
        raise InputError("texts: found none")
    return ("\n".join(lines) + "\n").encode()
