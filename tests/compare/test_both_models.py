from embspace.compare.both_models import both_models


def test_a_path_with_a_name_belongs_to_one_model_and_any_other_path_to_both():
    sources = both_models("states", print, "data/{model}", "texts", lists=["corpora"])
    assert {argument: source.paths for argument, source in sources.items()} == {
        "states": ["data/{model}", "texts"],
        "other_states": ["data/{other_model}", "texts"],
    }
    assert [source.lists for source in sources.values()] == [["corpora"], ["corpora"]]
