from embspace.draw.layers.context import draw_context
from tests.draw.layer_tables import project_page


def test_the_sentence_names_the_extreme_layer():
    sentence, text = project_page(draw_context)
    assert sentence.startswith("Tokens of posts differ most between texts at layer 0 of 2: ")
    assert "\n\nStage `measure_context`." in text
