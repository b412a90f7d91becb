"""A token shown between its neighbors, for readers."""

import pandas as pd

N_AROUND = 3  # tokens on each side


def in_context(row: int, tokens: pd.DataFrame) -> str:
    """Return a token in brackets, between neighbors of the same window."""
    window = tokens["window"].to_numpy()
    around = range(max(0, row - N_AROUND), min(len(tokens), row + N_AROUND + 1))
    names = tokens["token"].to_numpy()
    return " ".join(
        f"[{names[place]}]" if place == row else str(names[place])
        for place in around
        if window[place] == window[row]
    )
