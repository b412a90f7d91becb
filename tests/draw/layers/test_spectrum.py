from embspace.draw.layers.spectrum import draw_spectrum
from tests.draw.layer_tables import project_page


def test_the_sentence_names_the_extreme_layer():
    sentence, text = project_page(draw_spectrum)
    assert sentence.startswith(
        "Variance of tokens of posts lies in the fewest directions at layer "
    )
    assert "\n\nStage `measure_spectrum`." in text
