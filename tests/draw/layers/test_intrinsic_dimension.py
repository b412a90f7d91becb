from embspace.draw.layers.intrinsic_dimension import draw_intrinsic_dimension
from tests.draw.layer_tables import project_drawing, title_of


def test_the_title_names_the_extreme_layer():
    figure, text = project_drawing(draw_intrinsic_dimension)
    assert title_of(figure).startswith(
        "Tokens of articles have the most dimensions at the last layer: "
    )
    assert text.startswith(
        "# Intrinsic dimension of a model of a long name\n\nStage `measure_intrinsic_dimension`."
    )
