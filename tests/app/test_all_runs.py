"""By text: what a user wrote into params.yaml stays."""

from pathlib import Path

import pytest
import yaml

from embspace.app.all_runs import main, named_all

TEXT = "models: [a]  # mine\nprofiled: []\n# runs\ntrained: []\n"


def test_empty_lists_are_filled_and_all_else_stays() -> None:
    text, kept = named_all(TEXT, {"profiled": ["a", "b"], "trained": ["r"]})
    assert text == "models: [a]  # mine\nprofiled: [a, b]\n# runs\ntrained: [r]\n"
    assert kept == []


def test_a_list_that_is_not_empty_stays() -> None:
    text, kept = named_all("profiled: [a]\ntrained: []\n", {"profiled": ["b"], "trained": ["r"]})
    assert yaml.safe_load(text) == {"profiled": ["a"], "trained": ["r"]}
    assert kept == ["profiled"]


def test_params_yaml_gets_every_model_and_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("conf/train").mkdir(parents=True)
    for run in ("two", "one"):
        Path(f"conf/train/{run}.yaml").touch()
    rest = "corpora: [c]\nseed: 0\ndevice: cpu\n"
    Path("params.yaml").write_text(f"models:\n  - a\n  - b\n{rest}profiled: []\ntrained: [one]\n")
    main()
    params = yaml.safe_load(Path("params.yaml").read_text())
    assert params["profiled"] == ["a", "b"] and params["trained"] == ["one"]
    assert "key 'trained' stays as it is" in capsys.readouterr().out


def test_a_params_yaml_that_is_none_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit, match=r"params\.yaml: not found"):
        main()
