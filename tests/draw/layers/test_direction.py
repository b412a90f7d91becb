from embspace.draw.layers.direction import draw_direction
from tests.draw.layer_tables import project_drawing, title_of


def test_the_title_names_the_extreme_layer():
    figure, text = project_drawing(draw_direction)
    assert title_of(figure).startswith(
        "Tokens of articles point most alike at the last layer: mean cosine 2.1"
    )
    assert text.startswith("# Direction of a model of a long name\n\nStage `measure_direction`.")
