from embspace.draw.layers.hubs import draw_hubs
from tests.draw.layer_tables import project_page


def test_the_sentence_names_the_extreme_layer():
    sentence, text = project_page(draw_hubs)
    assert sentence.startswith("Tokens of posts have the strongest hubs at the last layer: ")
    assert "\n\nStage `measure_hubs`." in text


def test_hubs_of_a_gaussian_too_are_no_strong_hubs():
    sentence, _ = project_page(draw_hubs, null=99.0)
    assert sentence.startswith(
        "Hubs of tokens of posts are no stronger than those of a Gaussian, the strongest at "
    )
