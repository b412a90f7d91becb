from pathlib import Path

import pytest

from embspace.errors import InputError
from embspace.settings.pipeline import read_stages
from embspace.verify.baselines import OF_SOME, check_results, results_of, update_baselines
from tests.verify.tree import put


def names(files: list[Path]) -> list[str]:
    return [file.as_posix() for file in files]


def test_results_are_those_of_the_models(tree: Path):
    for file in ("a.csv", "x/large.csv", "x/y/small.json", "x/small.png", "x/small.csv.partial"):
        put(f"results/{file}", "")
    put("results/small.csv", "a model's name, but of no noun")
    assert names(results_of(Path("results"), ["small"], {})) == [
        "interrelations/small.json",
        "similarity/summary/small.csv",
        "x/y/small.json",
    ]


def test_a_pair_has_results_of_its_own(tree: Path):
    put("results/map/small--large.csv", "")
    file = "map/small--large.csv"
    assert file not in names(results_of(Path("results"), ["small", "large"], {}))
    assert file in names(results_of(Path("results"), ["small", "large", "small--large"], {}))


def test_what_has_no_model_belongs_to_every_choice_of_models(tree: Path):
    put("results/cubes/curve/toy.csv", "n\n1\n")
    assert "cubes/curve/toy.csv" in names(results_of(Path("results"), ["small"], {}))
    assert update_baselines(Path("results"), ["small"], {}) == (3, 0)
    assert Path("tests/baselines/cubes/curve/toy.csv").read_text() == "n\n1\n"


def test_profiles_of_layers_are_of_profiled_models_alone(tree: Path):
    for folder in ("results", "tests/baselines"):
        put(f"{folder}/direction/profiles/small.csv", "n\n1\n")
        put(f"{folder}/direction/profiles/large.csv", "n\n1\n")
    file = "direction/profiles/small.csv"
    assert file not in names(results_of(Path("results"), ["small"], {}))
    assert file in names(results_of(Path("results"), ["small", "large"], {"profiled": ["small"]}))
    Path("results", file).unlink()
    assert update_baselines(Path("results"), ["small"], {}) == (2, 0)
    assert update_baselines(Path("results"), ["small"], {"profiled": ["small"]}) == (2, 1)
    assert Path("tests/baselines/direction/profiles/large.csv").is_file()


def test_published_trainings_are_of_checkpointed_models_alone(tree: Path):
    for folder in ("results", "tests/baselines"):
        put(f"{folder}/pretraining_dynamics/small.csv", "n\n1\n")
    file = "pretraining_dynamics/small.csv"
    assert file not in names(results_of(Path("results"), ["small"], {"profiled": ["small"]}))
    assert file in names(results_of(Path("results"), ["small"], {"checkpointed": ["small"]}))
    Path("results", file).unlink()
    assert update_baselines(Path("results"), ["small"], {}) == (2, 0)
    assert update_baselines(Path("results"), ["small"], {"checkpointed": ["small"]}) == (2, 1)


@pytest.mark.parametrize("key", OF_SOME)
def test_what_is_of_some_models_alone_is_what_dvc_yaml_makes_of_them(key: str, root: Path):
    outs = {
        out
        for stage in read_stages(root).values()
        if stage.entry.get("matrix", {}).get("model") == f"${{{key}}}"
        for out in stage.outputs()
    }
    assert {Path(out).parts[1] for out in outs if out.startswith("results/")} == set(OF_SOME[key])


def test_an_update_copies_adds_and_removes(tree: Path):
    put("results/new/deep/small.csv", "n\n1\n")
    put("results/similarity/summary/small.csv", "n\n2\n")
    Path("results/interrelations/small.json").unlink()
    assert update_baselines(Path("results"), ["small"], {}) == (2, 1)
    assert Path("tests/baselines/new/deep/small.csv").read_text() == "n\n1\n"
    assert Path("tests/baselines/similarity/summary/small.csv").read_text() == "n\n2\n"
    assert not Path("tests/baselines/interrelations").exists()
    assert Path("tests/baselines/tolerances.yaml").exists()


def test_an_update_leaves_other_models_alone(tree: Path):
    put("tests/baselines/similarity/summary/large.csv", "n\n9\n")
    put("results/similarity/summary/large.csv", "n\n1\n")
    update_baselines(Path("results"), ["small"], {})
    assert Path("tests/baselines/similarity/summary/large.csv").read_text() == "n\n9\n"


def test_an_update_leaves_other_models_beside_one_alone(tree: Path):
    put("tests/baselines/encoders_decoders/small.csv", "name,n\nsmall,1\nrun,2\nother,3\n")
    put("results/encoders_decoders/small.csv", "name,n\nsmall,4\n")
    update_baselines(Path("results"), ["small", "run"], {"profiled": ["small"]})
    stored = Path("tests/baselines/encoders_decoders/small.csv")
    assert stored.read_text() == "name,n\nsmall,4\nother,3\n"


def test_no_results_at_all_is_named(tree: Path):
    with pytest.raises(InputError, match="nowhere: not found in .*; `dvc repro`"):
        check_results(Path("nowhere"))
