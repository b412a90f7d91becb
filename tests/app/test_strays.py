from pathlib import Path

import pytest

from embspace.app.strays import remove_strays
from embspace.settings.params import Params

PARAMS = Params(models=["a"], corpora=["one"], profiled=[], trained=[], seed=0, device="cpu")
KEPT = [
    "data/extracted/hidden_states/a/one.safetensors",
    "data/extracted/stimuli/a/words.safetensors",
    "data/prepared/texts/one.parquet",
    "results/similarity/summary/b.csv",  # no stage depends on the folder; `embspace prune` asks
]
STRAYS = [
    "data/extracted/hidden_states/a/two.halves.windows.parquet",
    "data/extracted/hidden_states/b/one.safetensors",
    "data/extracted/stimuli/b/words.safetensors",
    "data/prepared/texts/two.parquet",
]


def test_what_others_have_left_in_shared_folders_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    for file in map(Path, KEPT + STRAYS):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    assert sorted(map(str, remove_strays(PARAMS))) == STRAYS
    assert sorted(str(file) for file in Path().rglob("*.*")) == sorted(KEPT)
    assert remove_strays(PARAMS) == []
