from embspace.draw.layers.context import draw_context
from tests.draw.layer_tables import project_drawing, title_of


def test_the_title_names_the_extreme_layer():
    figure, text = project_drawing(draw_context)
    assert title_of(figure).startswith(
        "Tokens of articles depend most on their context at layer 0 of 2: "
    )
    assert text.startswith("# Context of a model of a long name\n\nStage `measure_context`.")
