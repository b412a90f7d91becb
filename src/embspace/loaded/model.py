"""Models that are loaded once in this process: weights, tokenizer, and how they are read."""

from contextlib import chdir
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from embspace.app.checks.probed import check_probed, digest_of
from embspace.app.describe import check_complete, find_model
from embspace.app.queries.loading import without_report_of_weights
from embspace.errors import InputError
from embspace.loaded.settings_read import settings_in
from embspace.settings.model import Model, Network, VectorsModel, describe_model
from embspace.settings.params import CONF

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from embspace.models.sentence.modules import SentenceModules

UNKNOWN = "unknown"
KEPT = 2  # models in memory: one, and another to compare it with
_KEPT: "dict[tuple[Path, str, str], LoadedModel]" = {}


@dataclass(frozen=True, eq=False)
class LoadedModel:
    """A transformers module with its tokenizer, and what embspace knows of both."""

    name: str
    description: Network
    module: Any
    tokenizer: Any
    modules: "SentenceModules | None" = None
    """The pooling and layers after the transformer of a sentence model; None without them."""
    encoder: Any = None
    """A sentence-transformers object that makes the vectors of sentences itself."""
    device: str = "cpu"
    source: str | None = None
    """The name, folder or repository that it goes by; None for one that the user has loaded."""
    digest: str | None = None
    """Tells it from all others; None for one that the user has loaded, who may change it."""

    def learned(self) -> "tuple[dict[str, np.ndarray], pd.DataFrame]":
        """Return the learned matrices by space, and the vocabulary: a row a row of `input`."""
        from embspace.extract.embeddings import without_padding
        from embspace.models.matrices import learned_matrices
        from embspace.models.tokenizer import vocabulary_table

        matrices = learned_matrices(self.name, self.description, self.module)
        vocabulary = vocabulary_table(self.name, self.tokenizer, self.description)
        whole = without_padding(self.name, self.description, matrices, vocabulary)
        return {space: matrix.copy() for space, matrix in whole.items()}, vocabulary


def called(name: str, model: Network) -> str:
    """Return what the user calls a model: one of their own as its folder or repository is named."""
    # Of what embspace has described by itself, neither is known.
    return model.label if model.license == model.language == UNKNOWN else name


def description_of(model: str, root: Path) -> tuple[str, Model]:
    """Return the name and the description of a model that `load` takes; its weights are not read.

    Raises:
        InputError: if it is not known, or was not fetched.
    """
    named = find_model(model, root, None)
    check_complete(named, model)
    content = named.described or settings_in(root / CONF / "model" / f"{named.name}.yaml")
    with chdir(root):
        return named.name, describe_model(named.name, content)


def load(model: str, root: Path, device: str = "cpu") -> LoadedModel:
    """Return a model of conf/model/, of a folder or of a repository; from memory the second time.

    Raises:
        InputError: if it is not known, was not fetched, cannot be read, or has no tokenizer.
    """
    named = find_model(model, root, None)
    check_complete(named, model)
    loaded = load_described(named.name, named.described, root, device)
    return replace(loaded, source=model)


def load_described(
    name: str, described: dict[str, Any] | None, root: Path, device: str = "cpu"
) -> LoadedModel:
    """Return a model by its name, and by what its file says if conf/model/ has none.

    Raises:
        InputError: if it cannot be read, or has no tokenizer.
    """
    content = described or settings_in(root / CONF / "model" / f"{name}.yaml")
    with chdir(root):
        description = describe_model(name, content)
        if isinstance(description, VectorsModel):
            raise InputError(
                f"'{name}' is vectors without a model, which reads no texts; "
                "embspace.report_vectors measures such vectors"
            )
        digest = digest_of(name, description, content)
        key = (root, name, digest)
        if key not in _KEPT:
            if described is None:
                check_probed(name, root)
            while len(_KEPT) >= KEPT:
                del _KEPT[next(iter(_KEPT))]
            _KEPT[key] = _read(name, description)
    return replace(_KEPT[key], device=device, source=name, digest=digest)


def _read(name: str, model: Network) -> LoadedModel:
    from embspace.models.sentence.vectors import sentence_modules
    from embspace.models.tokenizer import load_tokenizer
    from embspace.models.weights import load_model

    with without_report_of_weights():
        module = load_model(name, model)
        modules = sentence_modules(name, model, module)
    return LoadedModel(name, model, module, load_tokenizer(name, model), modules)
