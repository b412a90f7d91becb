"""Chooses which layers of a deep model are measured."""


def layers_in_steps(n_layers: int, most_layers: int | None) -> list[int]:
    """Return the numbers of at most `most_layers` layers in equal steps, both ends included.

    The last step may be shorter, so that the last layer is reached.

    Args:
        n_layers: Number of layers, the embeddings included.
        most_layers: At least 2; None for all layers.
    """
    if most_layers is None:
        return [*range(n_layers)]
    step = max(1, -(-(n_layers - 1) // (most_layers - 1)))
    return sorted({*range(0, n_layers, step), n_layers - 1})
