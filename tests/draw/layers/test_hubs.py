from embspace.draw.layers.hubs import draw_hubs
from tests.draw.layer_tables import project_page


def test_the_sentence_names_the_extreme_layer():
    sentence, text = project_page(draw_hubs)
    assert sentence.startswith("Tokens of posts have the strongest hubs at the last layer: ")
    assert "\n\nStage `measure_hubs`." in text
