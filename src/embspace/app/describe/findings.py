"""Loads a model and its tokenizer, and finds in them what a description says; once in a process."""

from collections.abc import Iterator
from contextlib import chdir, contextmanager
from copy import deepcopy
from pathlib import Path
from typing import TYPE_CHECKING, Any

from embspace.app.describe.description import Named
from embspace.app.describe.hashes import files_of_model, hashes_of
from embspace.app.queries.loading import without_report_of_weights
from embspace.errors import InputError, RefusedModel, reason_of
from embspace.settings.model import VectorsModel, describe_model, model_file
from embspace.settings.own import own_description

if TYPE_CHECKING:
    from embspace.models.describe import Findings

KEPT = 16  # findings in a process
_KEPT: "dict[str, Findings]" = {}


def described_by_files(name: str, label: str, source: dict[str, Any], root: Path) -> Named:
    """Load model and tokenizer, and find what can be said about them; once in a process."""
    from embspace.models.lock import read_lock

    described = own_description(label, source)
    with chdir(root), without_file(name), without_report_of_weights():
        # What is described has the hashes of a folder's files, the lock those of a repository.
        elsewhere = described.get("tokenizer", {}).get("path")
        hashes = hashes_of(Path(elsewhere), files_of_model(Path(elsewhere))) if elsewhere else {}
        key = repr((name, described, root, read_lock().get(name), hashes))
        if key not in _KEPT:
            while len(_KEPT) >= KEPT:
                del _KEPT[next(iter(_KEPT))]
            _KEPT[key] = _findings(name, described)
        findings = _KEPT[key]
    content = {**described, **deepcopy(findings.keys)}
    return Named(name, content, findings.questions, f"{label}, {findings.summary}")


def _findings(name: str, described: dict[str, Any]) -> "Findings":
    from embspace.models.architecture import code_note
    from embspace.models.describe import describe_module
    from embspace.models.parameters.describe_head import describe_head
    from embspace.models.sentence.vectors import check_sentences
    from embspace.models.tokenizer import load_tokenizer, tokenizer_note
    from embspace.models.weights import load_model

    nothing = {"input": "", "positional": None, "segment": None}
    model = describe_model(name, described | {"matrices": nothing})
    assert not isinstance(model, VectorsModel)  # `described` names files of weights
    try:
        module, tokenizer = load_model(name, model), load_tokenizer(name, model)
        findings = describe_module(module, tokenizer)
        known = {key: findings.keys.get(key) for key in ("final_norm", "token_types")}
        notes = [code_note(name, model), tokenizer_note(name, model.model_copy(update=known))]
        if note := " ".join(filter(None, notes)):
            findings.keys["note"] = note
        check_sentences(name, model.model_copy(update=known), module, tokenizer)
    except InputError:
        raise
    except Exception as error:  # what a model raises depends on the architecture
        place = described.get("path") or described["repository"]
        raise RefusedModel(
            f"{place}: cannot be loaded and read: {type(error).__name__}: {reason_of(error)}"
        ) from error
    head = describe_head(name, model, module)
    if "output" in head:
        findings.keys["matrices"]["output"] = head["output"]
    if "masked_head" in head:
        findings.keys["masked_head"] = head["masked_head"]
    return findings


@contextmanager
def without_file(name: str) -> Iterator[None]:
    """Remove the name of a file that does not exist from messages about a refused model."""
    try:
        yield
    except InputError as error:
        plain = str(error).replace(f"{model_file(name)}: ", "")
        raise RefusedModel(plain) from error.__cause__
