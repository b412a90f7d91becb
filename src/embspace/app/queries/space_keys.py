"""The keys of `embspace.Spaces`, with tensor, layer and pooling by key."""

from collections.abc import Iterable, Mapping

from embspace.clouds.pooling import FIRST_LAST, SENTENCE, TOKEN_POOLINGS

FINAL_NORM = "final_norm_"  # begins the names of such tensors
WORD = "word"
OF_TEXTS = (FIRST_LAST, SENTENCE, "final_norm")  # the names of spaces that are not learned
MatrixKey = str | tuple[str | int, ...]


def place_of(key: MatrixKey, layers: Mapping[str, int]) -> tuple[str, int, str] | None:
    """Return how the names of the tensors of a key begin, the layer, and the pooling.

    None for an invalid key. `layers` are the numbers of layers of the tensors by name.
    """
    n = layers["token"]
    kinds = ("token", *TOKEN_POOLINGS)
    places: dict[tuple[str | int, ...], tuple[str, int, str]] = {}
    for kind in (*kinds, WORD):
        ending = () if kind == "token" else (kind,)
        places |= {("layer", at, *ending): ("", at, kind) for at in range(-n, n)}
        if f"{FINAL_NORM}token" in layers and kind != WORD:
            places["final_norm", *ending] = FINAL_NORM, 0, kind
    if n > 1:
        places[FIRST_LAST,] = "", 0, FIRST_LAST
    if SENTENCE in layers:
        places[SENTENCE,] = "", 0, SENTENCE
    wanted = (key,) if isinstance(key, str) else key
    is_key = isinstance(wanted, tuple) and all(type(part) in (str, int) for part in wanted)
    return places.get(wanted) if is_key else None


def keys_of(learned: Iterable[str], layers: Mapping[str, int]) -> list[str]:
    """Return the valid keys, with the range of layers in the place of single layers."""
    poolings = " or ".join(map(repr, TOKEN_POOLINGS))
    ranges = f"'layer', 0 to {layers['token'] - 1}"
    keys = [*map(repr, sorted(learned, key=_in_order)), f"({ranges})"]
    keys.append(f"({ranges}, {poolings} or {WORD!r})")
    if f"{FINAL_NORM}token" in layers:
        keys += ["'final_norm'", f"('final_norm', {poolings})"]
    return [*keys, repr(FIRST_LAST), *([repr(SENTENCE)] if SENTENCE in layers else [])]


def _in_order(space: str) -> tuple[int, str]:
    """Return a sort key: the terms of a model's sum in their order, then all further spaces."""
    order = ("input", "positional", "segment")
    return (order.index(space) if space in order else len(order), space)
