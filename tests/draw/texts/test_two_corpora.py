from typing import Any

import pandas as pd
import pytest

from embspace.app.page.nothing import says_nothing
from embspace.draw.texts.two_corpora import draw_two_corpora
from embspace.measure.texts.two_corpora import TWO_CORPORA
from tests.analyses import as_drawn, settings_of
from tests.draw.fits import assert_words_fit


def tables(p_value: float = 0.005, others: tuple[str, ...] = ("ports",)) -> dict[str, pd.DataFrame]:
    rows, between = [], []
    for place, other in enumerate(others):
        pair = {"corpus": "ships", "other_corpus": other}
        sizes = {"n": 30, "n_other": 40, "n_documents": 20, "n_other_documents": 25}
        for layer, auc in ((0, 0.6), (1, 0.9 - 0.1 * place), (None, 0.7)):
            values = {"auc": auc, "distance": auc / 3, "null_auc": 0.49, "p_value": p_value}
            bounds = {
                f"{name}_{end}": values[name] + shift
                for name in ("auc", "distance")
                for end, shift in (("low", -0.05), ("high", 0.05))
            }
            embedding = "tf_idf" if layer is None else "mean"
            rows.append(
                pair
                | sizes
                | values
                | bounds
                | {"embedding": embedding, "layer": layer}
                | ({} if layer is None else {"p_value_of_layers": p_value})
            )
        between += [
            pair
            | {"layer": 1, "text_of": name, "rank": 1, "text_id": "a", "lean": -0.1}
            | {"text": f"A text of {name}"}
            for name in ("ships", other)
        ]
    columns = TWO_CORPORA.tables
    return {"csv": columns["csv"].of(rows), "between": columns["between"].of(between)}


def drawn(given: dict[str, Any]) -> Any:
    results = as_drawn(TWO_CORPORA, given)
    return draw_two_corpora(results, "a model", **settings_of(draw_two_corpora))


def title(figure: Any) -> str:
    return " ".join(figure.get_suptitle().split())


def test_lines_are_the_numbers_of_the_table():
    figure, text = drawn(tables())
    assert_words_fit(figure)
    auc, distance = figure.axes
    drawn_as = [{line.get_label(): line.get_ydata() for line in ax.lines} for ax in (auc, distance)]
    assert list(drawn_as[0]["Ships and ports, 0.60 in layer 0"]) == [0.6, 0.9]
    assert list(drawn_as[0]["labels dealt anew"]) == [0.49, 0.49]
    assert list(drawn_as[1]["Ships and ports"]) == pytest.approx([0.2, 0.3])
    assert "A text of ports" in text and "-0.1" in text.replace("−", "-")


def test_the_title_names_the_layer_words_alone_and_chance():
    figure, _ = drawn(tables())
    assert title(figure) == (
        "Ships and ports are told apart at every layer: AUC 0.60 or more, words alone 0.70, not "
        "surely less"
    )
    figure, _ = drawn(tables(others=("ports", "seas")))
    assert title(figure).startswith("Ships and ports are told apart at every layer")
    assert_words_fit(figure)


def test_the_title_is_of_the_pair_that_words_do_not_tell_apart_as_well():
    given = tables(others=("ports", "seas"))
    table = given["csv"]
    table.loc[table["layer"].isna() & (table["other_corpus"] == "ports"), "auc"] = 0.9
    figure, _ = drawn(given)
    assert title(figure) == (
        "Ships and seas are told apart at every layer: AUC 0.60 or more, words alone 0.70, not "
        "surely less"
    )


def test_corpora_that_chance_may_part_are_not_called_apart():
    figure, _ = drawn(tables(p_value=0.2))
    assert title(figure).startswith("Ships and ports are not clearly apart in any layer")


def test_the_heading_says_where_and_whose_distance_changes_if_that_is_sure():
    given = tables(others=("ports", "seas"))
    figure, _ = drawn(given)
    assert figure.axes[1].get_title("left") == "Energy distance"  # the intervals meet
    assert "labels dealt anew (same marks)" in [line.get_label() for line in figure.axes[0].lines]
    for distance, said in ((0.9, "rises"), (0.01, "falls")):
        rows = (given["csv"]["layer"] == 1) & (given["csv"]["other_corpus"] == "seas")
        given["csv"].loc[rows, ["distance", "distance_low", "distance_high"]] = distance
        figure, _ = drawn(given)
        heading = figure.axes[1].get_title("left")
        assert heading == f"Energy distance {said} at layer 1\n(ships and seas)"
        assert_words_fit(figure)
    one = tables()
    is_end = one["csv"]["layer"] == 1
    one["csv"].loc[is_end, ["distance", "distance_low", "distance_high"]] = 0.9
    assert drawn(one)[0].axes[1].get_title("left") == "Energy distance rises at layer 1"


def test_one_corpus_is_a_sentence_and_no_finding():
    figure, text = drawn(TWO_CORPORA.empty())
    assert says_nothing(title(figure)) and title(figure) in text


def test_a_layer_that_chance_may_part_is_not_among_those_apart():
    given = tables()
    given["csv"].loc[given["csv"]["layer"] == 0, "p_value"] = 0.2
    figure, text = drawn(given)
    assert title(figure) == (
        "Ships and ports are told apart, best at layer 1: AUC 0.90, words alone 0.70"
    )
    assert "words alone" in text
