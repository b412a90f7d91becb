from embspace.draw.layers.hubs import draw_hubs
from tests.draw.layer_tables import project_drawing, title_of


def test_the_title_names_the_extreme_layer():
    figure, text = project_drawing(draw_hubs)
    assert title_of(figure).startswith(
        "Tokens of articles have the strongest hubs at the last layer: "
    )
    assert text.startswith("# Hubs of a model of a long name\n\nStage `measure_hubs`.")


def test_hubs_of_a_gaussian_too_are_no_strong_hubs():
    figure, _ = project_drawing(draw_hubs, null=99.0)
    assert title_of(figure).startswith(
        "Hubs of tokens of articles are no stronger than those of a Gaussian, the strongest at "
    )
