"""Whether a model fits into memory, asked before anything is loaded."""

from embspace.errors import InputError
from embspace.geometry.pairs.square_memory import GIB, available_memory
from embspace.settings.model import Network, model_file

BYTES = 4  # a parameter in float32


def check_memory(name: str, model: Network, *, copies: int = 1) -> None:
    """Stop if `copies` of the parameters of `name`, in float32, exceed the free memory.

    A model whose file does not say how many `parameters` it has is not stopped.

    Raises:
        InputError: naming the file, what the model needs and what is available.
    """
    if model.parameters is None:
        return
    needed, available = copies * model.parameters * BYTES, available_memory()
    if needed > available:
        times = f", {copies} times" if copies > 1 else ""
        raise InputError(
            f"{model_file(name)}: key 'parameters': {model.parameters:,} of them in float32{times} "
            f"need {needed / GIB:.1f} GiB of memory, {available / GIB:.1f} GiB are available"
        )
