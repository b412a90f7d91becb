from embspace.draw.layers.hubs import draw_hubs
from tests.draw.layer_tables import project_drawing, title_of


def test_the_title_names_the_extreme_layer():
    figure, text = project_drawing(draw_hubs)
    assert title_of(figure).startswith(
        "Tokens of articles have the strongest hubs at the last layer: "
    )
    assert text.startswith("# Hubs of a model of a long name\n\nStage `measure_hubs`.")
