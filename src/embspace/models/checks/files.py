"""Checks a model's files, to spare stages the errors of other libraries."""

from pathlib import Path

from embspace.models.checks.config_file import check_config
from embspace.models.checks.model_heads import check_head
from embspace.models.checks.token_ids import check_token_ids
from embspace.models.checks.weight_types import check_weight_types
from embspace.settings.model import Model


def check_files(name: str, model: Model, folder: Path) -> None:
    """Stop at a config, weights or token numbers in `folder` that do not make the model `name`.

    Raises:
        InputError: naming the file, what was found and what is allowed.
    """
    check_config(folder)
    check_weight_types(folder)
    check_head(name, model, folder)
    check_token_ids(model, folder)
