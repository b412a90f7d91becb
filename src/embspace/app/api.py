"""The spaces of a model, and its tables, in three lines of Python.

States are computed in this process at the first access, with the settings of conf/. A model is
loaded once. A table runs the stages that it needs, in a separate tree under .cache/trees/, and
names them on stderr.

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
'mean_sqrt_len_tokens' or 'word'), 'first_last', 'sentence'"
"""

from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float

from embspace.app.queries.space_keys import OF_TEXTS, WORD, MatrixKey, keys_of, place_of
from embspace.app.queries.texts_asked import as_json_lines, checked_texts
from embspace.clouds.pooling import TOKEN_POOLINGS
from embspace.device import Device
from embspace.errors import InputError
from embspace.loaded.given import is_loaded, reading, take
from embspace.loaded.model import LoadedModel, load
from embspace.loaded.settings_read import settings_in
from embspace.loaded.states import States, joined, read_states
from embspace.settings.params import PARAMS, Params
from embspace.settings.roots import find_root
from embspace.settings.schema import validate

if TYPE_CHECKING:
    import pandas as pd

    from embspace.app.queries.cosine import Comparison
    from embspace.app.queries.measured import Measurements
    from embspace.app.queries.measured_tables import MeasuredTables
    from embspace.app.queries.tables import Tables
    from embspace.app.working_tree import WorkingTree

CORPUS = "texts"


def spaces(
    model: Any = None,
    texts: Iterable[str] | None = None,
    *,
    vectors: Any = None,
    tokenizer: Any = None,
    device: Device | None = None,
    tokens_per_batch: int | None = None,
) -> "Spaces":
    """Return the spaces of a model, and the states that it computes for `texts`.

    `model` is a name in conf/model/, a folder in the hub's layout, a repository of the hub, a
    transformers model with its `tokenizer`, or a sentence-transformers object. `device` and
    `tokens_per_batch` override the values of params.yaml and conf/; a model that is already loaded
    stays on its device.

    `vectors`, (n, dim), take the place of a model: an array, a tensor, a data frame, lists. They
    are `s["given"]`, `texts` are then their labels, and `s.table` is a table of
    `embspace.report_vectors`.

    The tree is the one around the current folder, or else the one from which embspace is installed.
    A model of the hub must be fetched first, by `embspace fetch` or `embspace report`.

    Raises:
        InputError: if the model is unknown; if there are no texts, or a text is empty or no string;
            if `vectors` are no finite matrix, or are given with a model.
    """
    if vectors is not None:
        beside = (model, tokenizer, device, tokens_per_batch)
        if any(option is not None for option in beside):
            raise InputError("vectors: found beside a model or its options, allowed: beside texts")
        from embspace.app.queries.given_vectors import GivenVectors

        return GivenVectors(vectors, texts)
    if model is None:
        raise InputError("model: found none, allowed: a model and texts, or vectors=")
    checked = checked_texts(texts)
    root = find_root()
    if is_loaded(model):
        loaded = take(model, tokenizer)
    else:
        if tokenizer is not None:
            raise InputError("tokenizer: allowed beside a model that is loaded, which has none")
        loaded = load(str(model), root, device or _params(root).device)
    settings = {}
    if tokens_per_batch is not None:
        if type(tokens_per_batch) is not int or tokens_per_batch < 1:
            raise InputError(
                f"tokens_per_batch: found {tokens_per_batch!r}, allowed: a whole number from 1 on"
            )
        settings["tokens_per_batch"] = tokens_per_batch
    return Spaces(loaded, checked, root, settings)


class Spaces:
    """The result of `spaces`: arrays by key, tables by noun. Layer 0 is the embedding output.

    | key | array, float32 |
    |---|---|
    | `"input"`, `"positional"`, `"segment"` | learned table, (n, dim), if the model has the table |
    | `("layer", 4)` | states of the tokens of all texts, (n_tokens, dim); rows: `tokens` |
    | `("layer", 4, "mean")` | a pooling of `TOKEN_POOLINGS`, a row a text window; rows: `windows` |
    | `("layer", 4, "word")` | the mean of the tokens of a word; rows: `words` |
    | `"first_last"` | the mean of layer 1 and the last layer, by mean pooling; rows: `windows` |
    | `"sentence"` | the vector of every text by the pooling of a sentence model's makers |
    | `"final_norm"`, `("final_norm", "mean")` | the same behind a norm after the last block |

    `("layer", -1)` is the last layer. `"sentence"` equals what sentence-transformers' `encode`
    returns for a text that fits into one window; for a longer text it is the mean over the windows.
    For a sentence-transformers object with modules from outside the library, `encode` itself
    computes the vectors.

    States equal those of the stage `extract_hidden_states` except for rounding, since batches
    differ: for minilm within 1.4e-6 of the largest state of a layer in float32, and within 2 % in
    bfloat16, whose steps are that coarse. With `tokens_per_batch`, or off the CPU, batches are
    formed as in the stage.
    """

    def __init__(
        self,
        loaded: LoadedModel,
        texts: list[str],
        root: Path,
        settings: Mapping[str, Any],
        states: States | None = None,
    ) -> None:
        """Take a loaded model and texts; `states` are computed at the first access."""
        self.model = loaded.name
        self.texts = len(texts)
        self._loaded, self._texts, self._root, self._settings = loaded, texts, root, settings
        if states is not None:
            self._states = states

    def __repr__(self) -> str:
        """Return the model and the sizes of its spaces, without computing any."""
        config = self._loaded.module.config
        layers, dimension = config.num_hidden_layers + 1, config.hidden_size
        return f"Spaces(model={self.model!r}, texts={self.texts}, {layers=}, {dimension=})"

    def _repr_html_(self) -> str:
        """Return the available spaces for a notebook, without computing any."""
        from embspace.app.queries.shown import as_list

        last = self._loaded.module.config.num_hidden_layers
        poolings = " or ".join(map(repr, (*TOKEN_POOLINGS, WORD)))
        rows = {
            's["input"], s["positional"], s["segment"]': "learned tables; rows: s.vocabulary",
            f's["layer", 0 to {last}]': "states of tokens; rows: s.tokens",
            f's["layer", 0 to {last}, {poolings}]': "pooled states; rows: s.windows, s.words",
            's["first_last"], s["sentence"]': "of layers 1 and last; of a sentence model",
            "s.attention(layer), s.cosine(a, b), s.add(texts)": "and more",
            "s.measure(noun), s.table(noun)": "analyses in this process, or by stages",
        }
        return as_list(repr(self), rows)

    def __getitem__(self, key: MatrixKey) -> Float[np.ndarray, "n dim"]:
        """Return the array of a space, a copy.

        Raises:
            KeyError: if the space does not exist; the message lists all spaces.
            InputError: if a text cannot be read.
        """
        # First of what is cheap to know: the vocabulary takes longer than many texts.
        if isinstance(key, str) and key not in OF_TEXTS and key in self._learned[0]:
            return np.array(self._learned[0][key])
        prefix, layer, pooling = self._place_of(key)
        if pooling == WORD:
            return self._word_vectors(layer)
        from embspace.app.queries.corpus_space import pooled_states

        tensors = self._states.tensors
        named = {
            name.removeprefix(prefix): tensor
            for name, tensor in tensors.items()
            if name.startswith(prefix)
        }
        return pooled_states(named, pooling, layer, self._states.rows)

    def add(self, texts: Iterable[str]) -> "Spaces":
        """Return the spaces of these texts and more; only the new texts are read."""
        new = checked_texts(texts)
        states = read_states(self._loaded, new, self._root, self._settings)
        both = joined(self._states, states, self.texts)
        return Spaces(self._loaded, self._texts + new, self._root, self._settings, both)

    def attention(self, layer: int) -> list[Float[np.ndarray, "head token token"]]:
        """Return the attention of a layer, 1 to L or -1 for the last, for each window of `windows`.

        A row of an array is a token that attends, and sums to 1.

        Raises:
            InputError: if the layer does not exist, or the model does not return its attention.
        """
        from embspace.models.stream.attention_maps import attention_maps

        module = self._loaded.module
        last = module.config.num_hidden_layers
        if not (1 <= layer <= last or -last <= layer <= -1):
            raise InputError(f"layer: found {layer}, allowed: 1 to {last}, or -1 for the last")
        at = layer - 1 if layer > 0 else layer
        rows = self.tokens.groupby("window", sort=True)["id"]
        ids = [window.to_numpy(copy=True)[None] for _, window in rows]
        with reading(self._loaded):
            maps = (attention_maps(module, row, np.ones_like(row))[at][0] for row in ids)
            return [weights.float().cpu().numpy() for weights in maps]

    @property
    def tree(self) -> "WorkingTree":
        """Return the tree in which the stages compute tables of the model and the texts.

        Raises:
            InputError: if the model was loaded by the user.
        """
        return self._tables.tree

    @property
    def tokens(self) -> "pd.DataFrame":
        """Return the rows of `s["layer", i]`: token, id, window, place in text and in window."""
        return self._states.tokens.copy()

    @property
    def windows(self) -> "pd.DataFrame":
        """Return the rows of `s["layer", i, "mean"]`: text, counted from 1, and window, from 0.

        A text longer than a window of the model has several.
        """
        return self._states.windows.copy()

    @property
    def words(self) -> "pd.DataFrame":
        """Return the rows of `s["layer", i, "word"]`: text, word, start, end, n_tokens.

        Words that tokens do not fully cover, or that share a token with another word, are left out.
        """
        return self._words[0].copy()

    @property
    def vocabulary(self) -> "pd.DataFrame":
        """Return the rows of `s["input"]`."""
        return self._learned[1].copy()

    def table(self, noun: str, name: str | None = None) -> "pd.DataFrame":
        """Return a table of an analysis: results/<noun>/[<name>/]<model>.csv, computed if need be.

        Without `name`, return the table without a name or else `summary`. The content of a .json
        file is a single row, called "json". The stages of the pipeline compute the table, and read
        the texts anew.

        Raises:
            KeyError: if the analysis or table does not exist, or there are several to choose from.
            InputError: if the model was loaded by the user, if the analysis reads stimuli that are
                too long for the model, or if a stage fails, with its message.
        """
        return self._tables.table(noun, name)

    def measure(self, noun: str, **settings: Any) -> "MeasuredTables":
        """Return the tables of an analysis of the vectors or texts, computed in this process.

        The settings are those of conf/, except for the given `settings`. The inputs of the analysis
        are computed first, for texts all states; if a model in memory has changed meanwhile, the
        states that these spaces have already read are used. The tables equal those of the
        analysis's stage; `plot()` draws them, and `cite()` returns the method.

        >>> import embspace
        >>> s = embspace.spaces("minilm", ["The tide was out."])
        >>> tables = s.measure("explained_variance", shares=[0.5])
        >>> tables["dimensions"]["n_components"].tolist()
        [77, 5, 78]
        >>> figure = tables.plot()

        Raises:
            InputError: if the analysis does not exist, if an input is not computed in this process,
                or if a setting is unknown or not allowed.
        """
        return self._measurements.tables(noun, **settings)

    def compare(self, other: "Spaces", *nouns: str) -> "pd.DataFrame":
        """Return measures of these spaces and of `other` side by side, and their difference.

        The two spaces are of two models and the same texts, or of the same model and different
        texts; the columns are those of results/measures/. Differences on the same texts have paired
        intervals. Without `nouns`, all analyses that allow a comparison and that both sides can
        compute are compared, which takes minutes; tables without rows, as for few texts, are left
        out.

        Raises:
            InputError: if an analysis is not compared, or not computed in this process; if all
                tables are without rows.
        """
        from embspace.app.queries.measured_pairs import compare_measured

        return compare_measured(self._measurements, other._measurements, nouns)

    def cosine(
        self, first: str, second: str, *, layer: int = -1, pooling: str | None = None
    ) -> "Comparison":
        """Return the cosine of two texts, and where it stands among all pairs of the texts.

        The default pooling is `"sentence"`, if the model has it and no other layer is named; else
        the last token of a decoder, or the mean of the tokens.

        The cosine is given as is and without the mean, with intervals; for two single tokens, also
        among all pairs of the vocabulary.

        Raises:
            InputError: if the layer or pooling is unknown, or a text is empty, longer than a window
                of the model, or without any known token.
        """
        import pandas as pd

        from embspace.app.queries.corpus_space import space_of
        from embspace.app.queries.cosine import compare_within
        from embspace.loaded.reference import Reference

        names = [str(number + 1) for number in range(self.texts)]
        texts = pd.DataFrame({"id": names, "document": names, "text": self._texts})
        states = self._states
        read = Reference(states.tensors, states.windows, states.tokens, texts)
        try:
            space = space_of(self._loaded, read, layer, pooling)
            return compare_within(space, CORPUS, first, second, _params(self._root).seed)
        except InputError as error:  # that names an option of the command
            raise InputError(str(error).removeprefix("--")) from error

    @cached_property
    def _states(self) -> States:
        return read_states(self._loaded, self._texts, self._root, self._settings)

    @cached_property
    def _learned(self) -> "tuple[dict[str, np.ndarray], pd.DataFrame]":
        return self._loaded.learned()

    @cached_property
    def _measurements(self) -> "Measurements":
        from embspace.app.queries.measured import Measurements
        from embspace.app.queries.measured_inputs import Held
        from embspace.app.working_tree import OwnTexts

        texts = OwnTexts(CORPUS, CORPUS, ".jsonl", as_json_lines(self._texts))
        held = Held(lambda: self._learned, lambda: self._states)
        return Measurements(self._loaded, texts, self._root, held)

    @cached_property
    def _words(self) -> "tuple[pd.DataFrame, Any, np.ndarray]":
        from embspace.app.queries.words_read import read_words

        return read_words(self._texts, self._states.tokens, self._states.windows)

    @cached_property
    def _tables(self) -> "Tables":
        from embspace.app.queries.tables import Tables

        if self._loaded.source is None:
            raise InputError(
                "the model was loaded by you, and the stages that make tables read one from files; "
                "write it by save_pretrained(), and pass the folder"
            )
        content = as_json_lines(self._texts)
        return Tables(self.model, self._loaded.source, CORPUS, content, self._root)

    def _word_vectors(self, layer: int) -> Float[np.ndarray, "word dim"]:
        _, parts, whole = self._words
        states: np.ndarray = parts.means(self._states.tensors["token"][[layer]], whole)
        return states[0].astype(np.float32)

    def _place_of(self, key: MatrixKey) -> tuple[str, int, str]:
        """Return how the names of the tensors of a key begin, the layer, and the pooling."""
        shapes = {name: len(tensor) for name, tensor in self._states.tensors.items()}
        place = place_of(key, shapes)
        if place is None:
            keys = keys_of(self._learned[0], shapes)
            raise KeyError(f"found {key!r}; there are {', '.join(keys)}")
        return place


def _params(root: Path) -> Params:
    return validate(Params, settings_in(root / PARAMS), str(PARAMS))
