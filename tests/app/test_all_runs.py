"""By text: what a user wrote into params.yaml stays."""

from pathlib import Path

import pytest
import yaml

from embspace.app.all_runs import entries_of, main, named_all, with_models
from embspace.errors import InputError

TEXT = "models: [a]  # mine\nprofiled: []\n# runs\ncompared: {}\ntrained: []\n"


def test_empty_entries_are_filled_and_all_else_stays() -> None:
    text, kept = named_all(TEXT, {"profiled": " [a, b]", "compared": "\n  x: 1", "trained": " [r]"})
    assert text == (
        "models: [a]  # mine\nprofiled: [a, b]\n# runs\ncompared:\n  x: 1\ntrained: [r]\n"
    )
    assert kept == []


def test_an_entry_that_is_not_empty_stays() -> None:
    text, kept = named_all("profiled: [a]\ntrained: []\n", {"profiled": " [b]", "trained": " [r]"})
    assert yaml.safe_load(text) == {"profiled": ["a"], "trained": ["r"]}
    assert kept == ["profiled"]


@pytest.mark.parametrize(
    "text",
    [
        "models: [a]  # mine\nseed: 0\n",
        "models: [\n  a,\n]\nseed: 0\n",
        "models: # mine\n  - a\n  # - c  # another\n\nseed: 0\n",
        "# list\nmodels:\n\n# first\n- a # mine\nseed: 0\n",
        "seed: 0\nmodels:\n  - z\n  # not\n  - a\n",
    ],
)
def test_models_are_added_and_comments_stay(text: str) -> None:
    changed = with_models(text, ["b", "d"])
    assert yaml.safe_load(changed)["models"] == [*yaml.safe_load(text)["models"], "b", "d"]
    assert [line for line in changed.splitlines() if "#" in line and "models:" not in line] == [
        line for line in text.splitlines() if "#" in line and "models:" not in line
    ]
    assert with_models(text, []) == text


def test_models_that_are_no_list_in_the_file_are_named() -> None:
    with pytest.raises(InputError, match="key 'models': found no list"):
        with_models("models: *others\n", ["b"])


def describe(folder: Path, name: str, source: str) -> None:
    content = (Path(__file__).parents[2] / f"conf/model/{source}.yaml").read_text(encoding="utf-8")
    (folder / f"conf/model/{name}.yaml").write_text(content, encoding="utf-8")


@pytest.fixture
def described(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for folder in ("model", "train"):
        Path(f"conf/{folder}").mkdir(parents=True)
    for name, source in {"a": "minilm", "b": "minilm_l3", "none": "minilm_random"}.items():
        describe(tmp_path, name, source)
    return tmp_path


def test_random_weights_are_compared_and_not_profiled(described: Path) -> None:
    entries = entries_of(["a", "none", "b"], ["none", "b"], ["r"])
    assert yaml.safe_load("".join(f"{key}:{entry}\n" for key, entry in entries.items())) == {
        "profiled": ["a", "b"],
        "compared": {
            "a--none": {"model": "a", "other_model": "none"},
            "a--b": {"model": "a", "other_model": "b"},
        },
        "trained": ["r"],
        "run_pages": ["all_runs"],
    }
    none = entries_of(["a"], [], [])
    assert (none["compared"], none["run_pages"]) == (" {}", " []")


def test_params_yaml_gets_the_models_and_every_run(
    described: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for run in ("two", "one"):
        Path(f"conf/train/{run}.yaml").touch()
    rest = "corpora: [c]\nseed: 0\ndevice: cpu\n"
    Path("params.yaml").write_text(
        f"models:\n  - a\n  - b\n{rest}profiled: []\ncompared: {{}}\ntrained: [one]\n"
    )
    main(["b", "none"])
    params = yaml.safe_load(Path("params.yaml").read_text())
    assert params["models"] == ["a", "b", "none"]
    assert params["profiled"] == ["a", "b"] and params["trained"] == ["one"]
    assert list(params["compared"]) == ["a--b", "a--none"]
    assert "key 'trained' stays as it is" in capsys.readouterr().out


def test_a_params_yaml_that_is_none_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit, match=r"params\.yaml: not found"):
        main([])
