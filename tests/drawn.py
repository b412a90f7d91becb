"""The files of a figure and its tables."""

from pathlib import Path

DRAW = Path(__file__).parents[1] / "src/embspace/draw"
ALONE = ("ledger", "parameter_alignment", "pretraining_dynamics", "pretraining_head_dynamics")
ALONE += ("run_head_pairs", "tuning_words")


def figure_files(noun: str, name: str) -> list[str]:
    """Return the files of a noun's figure, of a model, a pair or `toy`."""
    modules = [*DRAW.glob(f"*/{noun}.py"), DRAW / "layers/profiles.py"]  # else a family of layers
    place = f"figures/{noun}/{name}"
    return drawn_files(place, noun, noun if noun in ALONE else modules[0].parent.name)


def drawn_files(place: str, noun: str, chapter: str) -> list[str]:
    """Return the picture and the Markdown of figures/<noun>/<model>, and what DVC keeps."""
    name = Path(place).name
    kept = (f"data/drawn/{chapter}/{name}/{noun}.{suffix}" for suffix in ("pdf", "svg", "tex"))
    return [f"{place}.png", f"{place}.md", *kept]
