import pytest

from embspace.draw.page.canvas import use_style


@pytest.fixture(scope="session", autouse=True)
def style_of_figures() -> None:
    """Draw all figures in the style that the stages set, whichever test runs first."""
    use_style()
