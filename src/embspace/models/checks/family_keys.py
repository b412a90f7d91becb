"""Keys of old configs of BART's family, where every class now has a fixed value.

transformers 3 built BART, mBART, Pegasus, Marian and more from one class and these keys; today's
classes ignore the keys, and behave by their own parts.
"""

from collections.abc import Callable, Mapping
from typing import Any

from embspace.models.architecture import empty_model

Parts = Mapping[str, Any]


def _has_norm(parts: Parts, value: Any) -> bool:
    return bool(value) == ("layer_norm" in parts)


def _has_norm_before(parts: Parts, value: Any) -> bool:
    return _has_norm(parts, value == "prelayernorm")


def _has_norm_of_embeddings(parts: Parts, value: Any) -> bool:
    return bool(value) == ("layernorm_embedding" in parts)


def _has_sinusoids(parts: Parts, value: Any) -> bool:
    return bool(value) == _is_sinusoidal(parts)


def _has_offset(parts: Parts, value: Any) -> bool:
    """Return whether `value` rows stand before position 0; a formula has no rows."""
    offset = getattr(parts["embed_positions"], "offset", 0)
    return _is_sinusoidal(parts) or bool(value == offset)


def _has_own_rows(parts: Parts, _: Any) -> bool:
    """Return whether another key sets the rows of a table of positions, as in LED's encoder."""
    return not _is_sinusoidal(parts)


def _is_sinusoidal(parts: Parts) -> bool:
    return "Sinusoidal" in type(parts["embed_positions"]).__name__


CHECKS: dict[str, Callable[[Parts, Any], bool]] = {
    "normalize_before": _has_norm,
    "add_final_layer_norm": _has_norm,
    "layernorm_variant": _has_norm_before,
    "normalize_embedding": _has_norm_of_embeddings,
    "static_position_embeddings": _has_sinusoids,
    "extra_pos_embeddings": _has_offset,
    "max_position_embeddings": _has_own_rows,
}


def is_as_class(key: str, value: Any, config: Any) -> bool | None:
    """Return whether a config's class behaves as a key says; None for any other key or family."""
    if key not in CHECKS:
        return None
    encoder = getattr(empty_model(config), "encoder", None)
    parts = {} if encoder is None else dict(encoder.named_children())
    return CHECKS[key](parts, value) if "embed_positions" in parts else None
