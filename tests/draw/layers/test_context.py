import pandas as pd
import pytest

from embspace.draw.layers.context import draw_context, is_collapsed
from tests.draw.layer_tables import project_page


def test_the_sentence_names_the_extreme_layer():
    sentence, text = project_page(draw_context)
    assert sentence.startswith("Tokens of posts differ most between texts at layer 0 of 2: ")
    assert "\n\nStage `measure_context`." in text


@pytest.mark.parametrize(("last", "collapsed"), [(0.999, True), (0.8, False)])
def test_layers_in_which_all_tokens_are_alike_say_nothing_of_context(last: float, collapsed: bool):
    values = {("self_similarity", 0): 0.6, ("self_similarity", 1): last}
    values |= {("adjusted_self_similarity", layer): 0.5 - 0.4 * layer for layer in (0, 1)}
    rows = [
        {"corpus": "posts", "space": "token", "change": "as_is", "layer": layer}
        | {"measure": measure, "value": value}
        for (measure, layer), value in values.items()
    ]
    table = pd.DataFrame(rows)
    assert is_collapsed(table, "posts") == is_collapsed(table, "absent") == collapsed
    assert not is_collapsed(pd.DataFrame(rows[:1]), "posts")
    other = table.assign(corpus="articles", value=0.5)
    assert not is_collapsed(pd.concat([table, other]), "articles")
