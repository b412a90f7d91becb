"""Parameters of torch as arrays."""

from typing import Any

import numpy as np


def float_array(parameter: Any) -> np.ndarray:
    """Return a parameter as a float32 array, if possible as a view of the parameter."""
    values: np.ndarray = parameter.detach().cpu().float().numpy()
    return values


def optional_array(parameter: Any) -> np.ndarray | None:
    """Return the same, and None for None."""
    return None if parameter is None else float_array(parameter)
