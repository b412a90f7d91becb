from embspace.draw.layers.intrinsic_dimension import draw_intrinsic_dimension
from tests.draw.layer_tables import project_page


def test_the_sentence_names_the_extreme_layer():
    sentence, text = project_page(draw_intrinsic_dimension)
    assert sentence.startswith("Tokens of posts have the most dimensions at the last layer: ")
    assert "\n\nStage `measure_intrinsic_dimension`." in text
