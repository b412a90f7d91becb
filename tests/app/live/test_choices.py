"""What the app offers: models that read texts."""

from pathlib import Path

import pandas as pd
import pytest
import yaml

from embspace.app.live.choices import corpora_to_choose, models_to_choose
from embspace.errors import InputError
from tests.app.queries.extracted import write_extracted


def test_models_that_read_texts_are_offered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    texts = pd.DataFrame({"id": ["a", "b"], "text": ["the boat", "salt and bread"]})
    monkeypatch.chdir(write_extracted(tmp_path, texts))
    assert models_to_choose(None) == ["tiny"] and corpora_to_choose() == ["one"]
    assert models_to_choose("tiny") == ["tiny"]  # once, though params.yaml names it as well
    params = yaml.safe_load(Path("params.yaml").read_text())
    Path("params.yaml").write_text(yaml.safe_dump(params | {"models": ["other"]}))
    with pytest.raises(InputError, match="found no model that reads texts"):
        models_to_choose(None)
    assert models_to_choose("tiny") == ["tiny"]
    with pytest.raises(InputError, match="found 'tny'"):
        models_to_choose("tny")
