"""The learned tables of a model, as far as they are vectors of one space."""

from collections.abc import Mapping

import numpy as np

NAMES = ("input", "positional", "segment")


def one_space(matrices: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Those of `input`, `positional` and `segment`, (row, dim), that there are.

    Where positions have the hidden size and tokens do not, as in OPT-350M, what is added to a
    position is the token that a linear layer has mapped: there `input` is `input_mapped`.
    """
    together = {space: matrices[space] for space in NAMES if space in matrices}
    dims = {space: x.shape[1] for space, x in together.items()}
    if "input_mapped" in matrices and dims.get("positional", dims["input"]) != dims["input"]:
        together["input"] = matrices["input_mapped"]
    return together
