from itertools import product
from pathlib import Path

import pandas as pd
import yaml

from embspace.geometry.measures.registry import profiled_measures
from embspace.measure.layers.atlas import COLUMNS, measure_atlas
from embspace.measure.layers.layer_profiles import COLUMNS as TABLES

FAMILIES = {"direction": ["mean_cosine", "cone_index"], "spectrum": ["stable_rank"]}


def profiles() -> dict[str, pd.DataFrame]:
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
                    ("posts", "notes"), ("token", "cls"), ("as_is", "whitened"), (0, 1), measures
                )
            ],
            columns=TABLES["profiles"],
        )
        for family, measures in FAMILIES.items()
    }


def test_the_measures_in_their_order_of_one_corpus_and_space_as_they_are() -> None:
    asked = ["stable_rank", "mean_cosine"]
    found = measure_atlas(profiles(), corpus="notes", space="cls", measures=asked)
    assert list(found) == COLUMNS
    assert found["measure"].tolist() == ["stable_rank"] * 2 + ["mean_cosine"] * 2
    assert found["family"].tolist() == ["spectrum"] * 2 + ["direction"] * 2
    assert found["layer"].tolist() == [0, 1, 0, 1]
    for row in found.itertuples():
        expected = hash(("notes", "cls", "as_is", row.layer, row.measure)) % 1000
        assert row.value == expected


def test_what_is_not_there_is_left_out() -> None:
    asked = ["two_nn", "cone_index"]
    found = measure_atlas(profiles(), corpus="posts", space="token", measures=asked)
    assert set(found["measure"]) == {"cone_index"}
    for corpus, space in (("essays", "token"), ("posts", "mean")):
        nothing = measure_atlas(profiles(), corpus=corpus, space=space, measures=asked)
        assert nothing.empty and list(nothing) == COLUMNS


def test_the_settings_of_the_project_name_measures_of_all_families(root: Path) -> None:
    settings = yaml.safe_load((root / "conf/measure/layers/atlas.yaml").read_text())
    known = {name: each.family for name, each in profiled_measures().items()}
    assert len({known[name] for name in settings["measures"]}) == 5
    assert measure_atlas(profiles(), **settings).empty  # no corpus of this name
