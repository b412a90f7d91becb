"""Asks the claims of publications of a report's model with random weights, on the same texts."""

from collections.abc import Collection, Sequence
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


def describe_twins(
    model: str, described: dict[str, Any] | None, say: Say, n_draws: int
) -> Descriptions:
    """Return names and descriptions of the same architecture with random weights, a draw each.

    Parameters:
        model: the model of a report.
        described: the model's description; None for a model with a file in conf/model/.
        say: takes a sentence on why a model has no twin.
        n_draws: the number of draws, which differ by the seed.

    Empty for random weights, for vectors without a network, and for a decoder, as no source speaks
    of decoders.
    """
    from embspace.app.page.provenance import is_decoder
    from embspace.app.untrained import MODELS, describe_untrained
    from embspace.published.untrained import untrained_name

    content = described or read_yaml(described_in(MODELS, model))
    if n_draws < 1 or content["source"] in WITHOUT_TWIN or is_decoder(Path(), model, content):
        return {}
    declared = content.get("untrained")
    if declared and (MODELS / f"{declared}.yaml").is_file():
        first = read_yaml(MODELS / f"{declared}.yaml")
        return {declared: None, **_further_draws(declared, first, n_draws)}
    try:
        first = _with_tokenizer_at_hand(describe_untrained(model, content), model, content)
    except InputError as error:
        say(f"claims of publications are not compared with random weights: {error}")
        return {}
    name = untrained_name(model)
    return {name: first, **_further_draws(name, first, n_draws)}


def _further_draws(name: str, first: dict[str, Any], n_draws: int) -> Descriptions:
    """Return a twin's description with other seeds, by names; the seeds are in the names."""
    from embspace.published.untrained import draw_name

    if first["source"] != "random":  # weights of a file have no seed
        return {}
    seeds = range(first["seed"] + 1, first["seed"] + n_draws)
    return {
        draw_name(name, seed): first | {"seed": seed, "label": f"{first['label']}, seed {seed}"}
        for seed in seeds
    }


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


def forget_verdicts(tree: Path, model: str) -> None:
    """Remove the study's verdicts on the twin of a model from a tree with further texts."""
    from embspace.app.untrained import MODELS
    from embspace.published.untrained import VERDICTS, untrained_name

    declared = read_yaml(described_in(tree / MODELS, model)).get("untrained")
    for name in (declared, untrained_name(model)):
        (tree / VERDICTS / f"{name}.csv").unlink(missing_ok=True)


def keep_draws(tree: Path, twins: Sequence[str]) -> None:
    """Keep the verdicts on the draws of random weights in a tree, by the ledgers there."""
    from embspace.published.untrained import keep_verdicts

    with chdir(tree):
        keep_verdicts(twins[0], Path("results"), twins[1:])
