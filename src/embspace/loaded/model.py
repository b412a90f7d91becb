"""Models loaded once in this process: weights, tokenizer, and how to read texts."""

import json
from contextlib import chdir
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from embspace.app.checks.probed import check_probed, digest_of, files_read, versions
from embspace.app.describe.description import check_complete
from embspace.app.describe.find import find_model
from embspace.app.describe.hashes import hashes_of
from embspace.app.queries.loading import without_report_of_weights
from embspace.errors import InputError
from embspace.loaded.settings_read import settings_in
from embspace.settings.model import (
    FolderFiles,
    HubModel,
    Model,
    Network,
    PackageFiles,
    VectorsModel,
    WheelModel,
    describe_model,
)
from embspace.settings.params import CONF

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from embspace.models.sentence.modules import SentenceModules

# Keys of a description that decide the states of texts; others say where files are, what the model
# is called, which of its parameters are what, and how tokens are spelled.
READING = {
    *("batches", "config", "final_norm", "padding_rows", "position_offset", "seed"),
    *("token_types", "window"),
}
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
    """The pooling and layers after the transformer of a sentence model; else None."""
    encoder: Any = None
    """A sentence-transformers object; without `modules`, the object makes sentence vectors itself.
    """
    device: str = "cpu"
    source: str | None = None
    """The name, folder or repository of the model; None for a model loaded by the user."""
    decides: str | None = None
    """A key of the model's states, whatever the model is called; None for a model loaded by the
    user, who may change it.
    """

    def learned(self) -> "tuple[dict[str, np.ndarray], pd.DataFrame]":
        """Return the learned matrices by space, and the vocabulary: a row a row of `input`."""
        from embspace.extract.embeddings import without_padding
        from embspace.models.matrices import learned_matrices
        from embspace.models.tokenizer import vocabulary_table

        matrices = learned_matrices(self.name, self.description, self.module)
        vocabulary = vocabulary_table(self.name, self.tokenizer, self.description)
        whole = without_padding(self.name, self.description, matrices, vocabulary)
        return {space: matrix.copy() for space, matrix in whole.items()}, vocabulary


def description_of(model: str, root: Path) -> tuple[str, Model]:
    """Return the name and the description of a model for `load`, without reading the weights.

    Raises:
        InputError: if the model is unknown, or was not fetched.
    """
    named = find_model(model, root, None)
    check_complete(named, model)
    content = named.described or settings_in(root / CONF / "model" / f"{named.name}.yaml")
    with chdir(root):
        return named.name, describe_model(named.name, content)


def load(model: str, root: Path, device: str = "cpu") -> LoadedModel:
    """Return a model of conf/model/, of a folder or of a repository; from memory the second time.

    Raises:
        InputError: if the model is unknown, was not fetched, cannot be read, or has no tokenizer.
    """
    named = find_model(model, root, None)
    check_complete(named, model)
    loaded = load_described(named.name, named.described, root, device)
    return replace(loaded, source=model)


def load_described(
    name: str, described: dict[str, Any] | None, root: Path, device: str = "cpu"
) -> LoadedModel:
    """Return a model by name; `described` replaces a missing file in conf/model/.

    Raises:
        InputError: if the model cannot be read, or has no tokenizer.
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
    return replace(_KEPT[key], device=device, source=name)


def _read(name: str, model: Network) -> LoadedModel:
    from embspace.models.sentence.vectors import sentence_modules
    from embspace.models.tokenizer import load_tokenizer
    from embspace.models.weights import load_model

    decides = json.dumps([_contents(name, model), _reading(model), versions()])  # files, before
    with without_report_of_weights():
        module = load_model(name, model)
        modules = sentence_modules(name, model, module)
    tokenizer = load_tokenizer(name, model)
    return LoadedModel(name, model, module, tokenizer, modules, decides=decides)


def _contents(name: str, model: Network) -> list[dict[str, str]]:
    """Return the hashes of the files of a model and of the tokenizer, by path within the folder.

    The same files in another place are the same model.
    """
    from embspace.models.locate import locate_root
    from embspace.models.lock import read_lock
    from embspace.models.tokenizer import tokenizer_files

    if isinstance(model, HubModel | WheelModel):
        files = read_lock()[name].files.items()
        hashes = [{file: locked.sha256 for file, locked in files}]
    else:
        hashes = []
    places = [model, tokenizer_files(model)]
    for place in {id(place): place for place in places}.values():
        if isinstance(place, FolderFiles | PackageFiles):
            folder = locate_root(name, place)
            hashes.append(hashes_of(folder, files_read(folder)))
    return hashes


def _reading(model: Network) -> dict[str, Any]:
    """Return what a description says about how texts are read."""
    said = model.model_dump(mode="json", include=READING)
    return said | {"positional": model.matrices.positional}
