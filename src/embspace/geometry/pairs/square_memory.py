"""Refuses matrices of all pairs of coordinates that do not fit into memory, before any is made."""

WIDE = 10_000  # coordinates; of fewer, a matrix of all pairs is under a GiB
MATRICES = 3  # the sum, a product that is added to it, and what the eigenvalues take
BYTES = 8  # a number in float64
GIB = 2**30


def check_square(dim: int) -> None:
    """Stop unless the free memory suffices for a covariance of `dim` coordinates.

    Raises:
        ValueError: naming needed and available memory.
    """
    if dim < WIDE:
        return
    needed, available = MATRICES * BYTES * dim**2, available_memory()
    if needed > available:
        raise ValueError(
            f"the covariance of {dim:,} coordinates needs {needed / GIB:.1f} GiB of memory, "
            f"{available / GIB:.1f} GiB are available"
        )


def available_memory() -> int:
    """Return the bytes of memory available without swapping."""
    import psutil

    return int(psutil.virtual_memory().available)
