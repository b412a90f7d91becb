"""Whether a model fits into memory, asked before anything is loaded."""

from embspace.errors import InputError
from embspace.models.description import Network, model_file

BYTES = 4  # a parameter in float32
GIB = 2**30


def check_memory(name: str, model: Network) -> None:
    """Stop if the parameters of the model `name`, in float32, are more than the free memory.

    A model whose file does not say how many `parameters` it has is not held back.

    Raises:
        InputError: naming the file, what the model needs and what is available.
    """
    if model.parameters is None:
        return
    needed, available = model.parameters * BYTES, available_memory()
    if needed > available:
        raise InputError(
            f"{model_file(name)}: key 'parameters': {model.parameters:,} of them in float32 need "
            f"{needed / GIB:.1f} GiB of memory, {available / GIB:.1f} GiB are available"
        )


def available_memory() -> int:
    """The bytes that a program may take without swapping."""
    import psutil

    return int(psutil.virtual_memory().available)
