"""The files of a figure and its tables."""


def drawn_files(place: str, noun: str) -> list[str]:
    """The picture, and in the folder of its name the rest. `place` is figures/<noun>/<model>."""
    return [f"{place}.png", *(f"{place}/{noun}.{suffix}" for suffix in ("md", "pdf", "svg", "tex"))]
