from itertools import product

import pandas as pd

from embspace.geometry.measures.registry import profiled_measures
from embspace.measure.layers.atlas import FAMILIES, measure_atlas
from embspace.measure.layers.layer_profiles import TABLES
from tests.analyses import settings_of

MEASURES = {"direction": ["mean_cosine", "cone_index"], "spectrum": ["stable_rank"]}


def inputs(*, is_empty: bool) -> dict[str, dict[str, pd.DataFrame]]:
    """Return profiles of a corpus in conf, or of another corpus."""
    return {"profiles": profiles("notes" if is_empty else "articles")}


def profiles(corpus: str = "notes") -> dict[str, pd.DataFrame]:
    """The value says of which row it is."""
    return {
        family: pd.DataFrame(
            [
                {
                    "corpus": corpus,
                    "space": space,
                    "change": change,
                    "layer": layer,
                    "measure": measure,
                    "value": hash((corpus, space, change, layer, measure)) % 1000,
                    "n": 9,
                    "n_texts": 4,
                    "converged": True,
                }
                for corpus, space, change, layer, measure in product(
                    ("posts", corpus), ("token", "cls"), ("as_is", "whitened"), (0, 1), measures
                )
            ],
            columns=[*TABLES["profiles"].columns],
        )
        for family, measures in MEASURES.items()
    }


def test_the_measures_in_their_order_of_one_corpus_and_space_as_they_are() -> None:
    measures = ["stable_rank", "mean_cosine"]
    table = measure_atlas(profiles(), corpus="notes", space="cls", measures=measures)["csv"]
    assert table["measure"].tolist() == ["stable_rank"] * 2 + ["mean_cosine"] * 2
    assert table["family"].tolist() == ["spectrum"] * 2 + ["direction"] * 2
    assert table["layer"].tolist() == [0, 1, 0, 1]
    for row in table.itertuples():
        expected = hash(("notes", "cls", "as_is", row.layer, row.measure)) % 1000
        assert row.value == expected


def test_what_is_not_there_is_left_out() -> None:
    measures = ["two_nn", "cone_index"]
    table = measure_atlas(profiles(), corpus="posts", space="token", measures=measures)["csv"]
    assert set(table["measure"]) == {"cone_index"}
    for corpus, space in (("essays", "token"), ("posts", "mean")):
        assert measure_atlas(profiles(), corpus=corpus, space=space, measures=measures)["csv"].empty


def test_the_settings_of_the_project_name_measures_of_all_families() -> None:
    known = {name: measure.family for name, measure in profiled_measures().items()}
    assert {known[name] for name in settings_of(measure_atlas)["measures"]} == {*FAMILIES}
