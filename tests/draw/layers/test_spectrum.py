from embspace.draw.layers.spectrum import draw_spectrum
from tests.draw.layer_tables import project_drawing, title_of


def test_the_title_names_the_extreme_layer():
    figure, text = project_drawing(draw_spectrum)
    assert title_of(figure).startswith(
        "Variance of tokens of articles lies in the fewest directions at layer 0 of 2: "
    )
    assert text.startswith("# Spectrum of a model of a long name\n\nStage `measure_spectrum`.")
