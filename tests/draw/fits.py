"""Whether the words of a figure lie inside it."""

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure


def assert_words_fit(figure: Figure) -> None:
    """Fail if the title or the subtitle runs out of the figure."""
    FigureCanvasAgg(figure)
    figure.set_dpi(200)  # as the PNG is saved
    figure.draw_without_rendering()  # all places are known, and no pixel is
    for text in figure.texts:
        box = text.get_window_extent()
        assert figure.bbox.x0 <= box.x0, text.get_text()
        assert box.x1 <= figure.bbox.x1, text.get_text()
