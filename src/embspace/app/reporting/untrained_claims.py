"""Asks the claims of publications of a report's model with random weights, on the same texts."""

from collections.abc import Collection
from contextlib import chdir
from pathlib import Path
from typing import Any

from embspace.app.describe.find import Say
from embspace.errors import InputError
from embspace.settings.find_description import described_in
from embspace.settings.pipeline import read_stages
from embspace.settings.schema import read_yaml

LEDGER = "measure_ledger"
WITHOUT_TWIN = ("random", "vectors")
Descriptions = dict[str, dict[str, Any] | None]
"""Descriptions of models by name; None for a model with a file in conf/model/."""


def describe_twin(model: str, described: dict[str, Any] | None, say: Say) -> Descriptions:
    """Return name and description of the same architecture with random weights.

    Parameters:
        model: the model of a report.
        described: the model's description; None for a model with a file in conf/model/.
        say: takes a sentence on why a model has no twin.

    Empty for random weights, for vectors without a network, and for a decoder, as no source speaks
    of decoders.
    """
    from embspace.app.page.provenance import is_decoder
    from embspace.app.untrained import MODELS, describe_untrained
    from embspace.published.untrained import untrained_name

    content = described or read_yaml(described_in(MODELS, model))
    if content["source"] in WITHOUT_TWIN or is_decoder(Path(), model, content):
        return {}
    declared = content.get("untrained")
    if declared and (MODELS / f"{declared}.yaml").is_file():
        return {declared: None}
    try:
        twin = describe_untrained(model, content)
        return {untrained_name(model): _with_tokenizer_at_hand(twin, model, content)}
    except InputError as error:
        say(f"claims of publications are not compared with random weights: {error}")
        return {}


def _with_tokenizer_at_hand(
    twin: dict[str, Any], model: str, content: dict[str, Any]
) -> dict[str, Any]:
    """Return the twin of a model of the hub with a local folder as tokenizer; others unchanged.

    models.lock lists fetched files by the model's name alone.
    """
    from embspace.models.locate import locate_files
    from embspace.models.tokenizer import tokenizer_files
    from embspace.settings.model import HubFiles, describe_model

    files = tokenizer_files(describe_model(model, content))
    if not isinstance(files, HubFiles):
        return twin
    return twin | {"tokenizer": {"source": "path", "path": str(locate_files(model, files))}}


def ledgers(root: Path, models: Collection[str]) -> list[str]:
    """Return the addresses of the stages that make the ledgers of models."""
    stage = read_stages(root).get(LEDGER)
    return [stage.address(model) for model in models] if stage else []


def keep_all_verdicts(tree: Path, models: Collection[str]) -> None:
    """Keep the verdicts on models in a tree, by the ledgers there."""
    from embspace.published.untrained import keep_verdicts

    with chdir(tree):
        for name in models:
            keep_verdicts(name, Path("results"))
