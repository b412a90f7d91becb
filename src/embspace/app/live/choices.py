"""Lists the models and corpora that a visitor of the app may choose."""

from embspace.app.queries.track import reading_model
from embspace.errors import InputError
from embspace.settings.params import read_params


def models_to_choose(asked: str | None) -> list[str]:
    """Return the model that is asked for, and those of params.yaml that read texts, in its order.

    Raises:
        InputError: if there are none, or what is asked for reads no text.
    """
    found = []
    if asked is not None:
        reading_model(asked)
        found.append(asked)
    for name in read_params().models:
        if name == asked:
            continue
        try:
            reading_model(name)
        except InputError:
            continue
        found.append(name)
    if not found:
        raise InputError("params.yaml: key 'models': found no model that reads texts")
    return found


def corpora_to_choose() -> list[str]:
    """Return the corpora of params.yaml, that of long texts first: few texts make no percentile."""
    params = read_params()
    first = params.roles.get("long_texts")
    return sorted(params.corpora, key=lambda corpus: corpus != first)
