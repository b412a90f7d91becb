"""Whether the words of a figure lie inside it."""

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

ROUNDING = 0.5  # of a pixel


def assert_words_fit(figure: Figure) -> None:
    """Fail if title, subtitle, tick labels or the label of an axis run out of the figure.

    The layout is solved at the figure's resolution, the PNG is saved at 200 dots an inch.
    """
    FigureCanvasAgg(figure)
    figure.draw_without_rendering()  # all places are known, and no pixel is
    figure.set_layout_engine("none")
    figure.set_dpi(200)
    figure.draw_without_rendering()
    left, right = figure.bbox.x0 - ROUNDING, figure.bbox.x1 + ROUNDING
    for text in figure.texts:
        box = text.get_window_extent()
        assert left <= box.x0 and box.x1 <= right, text.get_text()
    for ax in figure.axes:
        for axis in (ax.xaxis, ax.yaxis):
            if ax.axison and (box := axis.get_tightbbox()):
                words = [label.get_text() for label in axis.get_ticklabels()]
                assert left <= box.x0 and box.x1 <= right, words
