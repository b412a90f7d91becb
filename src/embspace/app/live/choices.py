"""Lists the models and corpora that a visitor of the app may choose."""

from typing import Any

from embspace.errors import InputError, not_among
from embspace.settings.find_description import LIST
from embspace.settings.model import VectorsModel, describe_model
from embspace.settings.params import CONF, read_params
from embspace.settings.schema import read_yaml


def models_to_choose(model: str | None) -> list[str]:
    """Return the requested model, and the models of params.yaml that read texts, in file order.

    Raises:
        InputError: if no model reads texts, or the requested model does not.
    """
    names = []
    if model is not None:
        reading_model(model)
        names.append(model)
    for name in read_params().models:
        if name == model:
            continue
        try:
            reading_model(name)
        except InputError:
            continue
        names.append(name)
    if not names:
        raise InputError("params.yaml: key 'models': found no model that reads texts")
    return names


def corpora_to_choose() -> list[str]:
    """Return the corpora of params.yaml, that of long texts first: few texts make no percentile."""
    params = read_params()
    first = params.roles.get("long_texts")
    return sorted(params.corpora, key=lambda corpus: corpus != first)


def reading_model(name: str) -> Any:
    """Return the checked description of a model that reads texts.

    Raises:
        InputError: if the model is unknown, or consists of vectors alone.
    """
    known = sorted(path.stem for path in (CONF / "model").glob("*.yaml"))
    if name not in known:
        raise InputError(f"model (conf/model/): {not_among(name, known, LIST)}")
    model = describe_model(name, read_yaml(CONF / "model" / f"{name}.yaml"))
    if isinstance(model, VectorsModel):
        raise InputError(f"{name}: vectors without a model read no text")
    return model
