from collections.abc import Iterator

import pytest

from embspace.draw.page.canvas import use_style


@pytest.fixture(scope="session", autouse=True)
def style_of_figures() -> None:
    """Draw all figures in the style that the stages set, whichever test runs first."""
    use_style()


@pytest.fixture(scope="session", autouse=True)
def heat_maps_draw_no_figure() -> Iterator[None]:
    """Leave out what takes four fifths of the time of a figure with heat maps.

    For each of them seaborn draws the whole figure, to turn labels that would overlap, of which no
    test here looks at any. tests/test_contract.py draws every figure as the stages do.
    """
    from seaborn import matrix

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(matrix, "_draw_figure", lambda figure: None)
        yield
