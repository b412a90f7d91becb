"""Results of `measure_evolution` for the tests of its figures, and what all of these say."""

from collections.abc import Callable
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from tests.draw.fits import assert_words_fit
from tests.measure.words.test_evolution import measured, stimuli_of


def tables_of(module: Any, *names: str) -> dict[str, pd.DataFrame]:
    """Return tables that were measured in two short texts and a corpus, as figures get them."""
    evolution = measured(module, stimuli_of(1.0))
    return {f"evolution/{name}": evolution[name] for name in names}


def words_of(figure: Figure) -> str:
    """Return the words around the panels of a figure."""
    return " ".join(" ".join(text.get_text() for text in figure.texts).split())


def title_of(figure: Figure) -> str:
    """Return the title of a figure in one line."""
    return " ".join(figure.get_suptitle().split())


def assert_says_why_it_is_empty(
    draw: Callable[[dict[str, Any]], tuple[Figure, str]], results: dict[str, pd.DataFrame]
) -> None:
    """Draw empty tables, and find the reason in the figure and in its tables."""
    figure, text = draw({name: table[:0] for name, table in results.items()})
    assert "No tokenizer" in figure.axes[0].texts[0].get_text()
    assert "No tokenizer" in text
    assert_words_fit(figure)
