from embspace.draw.layers.direction import draw_direction
from tests.draw.layer_tables import project_page


def test_the_sentence_names_the_extreme_layer():
    sentence, text = project_page(draw_direction)
    assert sentence.startswith("Tokens of posts point most alike at the last layer: mean cosine ")
    assert "\n\nStage `measure_direction`." in text
