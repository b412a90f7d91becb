"""Probes a model of conf/model/ before the first stage, once for the same files."""

import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import chdir, suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from embspace.errors import InputError, RefusedModel
from embspace.models.locate import locate_root, weight_files
from embspace.models.lock import read_lock
from embspace.models.memory import check_memory
from embspace.models.sentence.files import sentence_files, transformer_folder
from embspace.settings.model import (
    FolderFiles,
    HubFiles,
    HubModel,
    Model,
    Network,
    PackageFiles,
    VectorsModel,
    WheelFiles,
    WheelModel,
    describe_model,
    model_file,
)
from embspace.settings.params import CONF
from embspace.settings.schema import read_yaml

PROBES = Path(".cache/probes")
N_TOKENS = 12  # of which texts are made
SMALL = (".json", ".txt", ".model")  # of a model's folder
CHECKS = 2  # raised where more is checked, so that what was kept before is probed again
LIBRARIES = ("torch", "transformers", "tokenizers")


def check_probed(name: str, root: Path) -> None:
    """Stop at a model that cannot be read, or that contradicts its file in conf/model/.

    A passed check is kept, by weights, tokenizer, description and versions of libraries.

    Raises:
        InputError: if the model's files are missing.
        RefusedModel: naming the wrong key of the file.
    """
    with chdir(root):
        content = read_yaml(CONF / "model" / f"{name}.yaml")
        model = describe_model(name, content)
        if isinstance(model, VectorsModel):
            return
        kept = PROBES / digest_of(name, model, content)
        if kept.is_file():
            return
        _probe(name, model)
        with suppress(OSError):  # it is probed again where nothing can be kept
            kept.parent.mkdir(parents=True, exist_ok=True)
            kept.touch()


def check_fetched(name: str, root: Path) -> None:
    """Check a fetched model as `check_probed`, if the memory of this machine suffices.

    Raises:
        RefusedModel: naming the misfit.
    """
    with chdir(root):
        model = describe_model(name, read_yaml(CONF / "model" / f"{name}.yaml"))
        if not isinstance(model, HubModel | WheelModel):
            return
        try:
            check_memory(name, model)
        except InputError:
            return  # it is fetched for another machine
    check_probed(name, root)


def _probe(name: str, model: Network) -> None:
    """Load a model, and stop unless the model is read as the description says."""
    from embspace.app.queries.loading import without_report_of_weights
    from embspace.models.probe.order import check_states
    from embspace.models.probe.probe import check_probe, probe, rows_of
    from embspace.models.sentence.vectors import check_sentences
    from embspace.models.tokenizer import load_tokenizer, tokenizer_files
    from embspace.models.weights import load_model
    from embspace.models.windows import largest_window

    with without_report_of_weights():
        module = load_model(name, model)
        tokenizer = load_tokenizer(name, model) if tokenizer_files(model) else None
        if tokenizer is not None:
            check_sentences(name, model, module, tokenizer)
    n_rows = len(module.get_input_embeddings().weight) - model.padding_rows
    special = set() if tokenizer is None else set(tokenizer.all_special_ids)
    tokens = [number for number in range(n_rows) if number not in special][:N_TOKENS]
    window = largest_window(model, module)
    try:
        check_states(module, rows_of(tokens, window)[0])
        outcome = probe(module, tokens, window)
        check_probe(outcome, model.batches, model.matrices.positional)
    except RefusedModel as error:
        raise RefusedModel(f"{model_file(name)}: {error}") from error


def digest_of(name: str, model: Network, content: dict[str, Any]) -> str:
    """Return a hash of a model's description, files and libraries, unique to the model."""
    parts = [CHECKS, content, versions(), [*_files(name, model)]]
    return hashlib.sha256(json.dumps(parts, default=str).encode()).hexdigest()


@cache
def versions() -> dict[str, str]:
    """Return the versions of the libraries that read models."""
    return {library: version(library) for library in LIBRARIES}


def files_read(root: Path) -> list[Path]:
    """Return the files of a model's folder that may be read: weights, configs, tokenizer."""
    folder = transformer_folder(root)
    small = [file for ending in SMALL for file in sorted(folder.glob(f"*{ending}"))]
    return list(dict.fromkeys([*weight_files(folder), *small, *sentence_files(root)]))


def _files(name: str, model: Model) -> Iterator[Any]:
    """Yield marks of changed weights in the same place, without reading the weights."""
    from embspace.models.tokenizer import tokenizer_files

    for place in {id(files): files for files in (model, tokenizer_files(model))}.values():
        if isinstance(place, HubFiles | WheelFiles):
            entry = read_lock().get(name)
            yield None if entry is None else entry.model_dump()
        elif isinstance(place, FolderFiles | PackageFiles):
            root = locate_root(name, place.model_copy(update={"sha256": {}}))
            for file in files_read(root):
                now = file.stat()
                yield os.path.relpath(file, root), now.st_size, now.st_mtime_ns
