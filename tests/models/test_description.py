from pathlib import Path

import pytest

from embspace.errors import InputError
from embspace.models.description import FolderModel, PackageModel, RandomModel, describe_model
from tests.tiny import tiny_description


def test_the_source_decides_what_else_is_said():
    model = describe_model("tiny", tiny_description(Path("x")))
    assert isinstance(model, FolderModel)
    assert model.position_offset == 0


def test_the_models_that_come_with_embspace_are_described(root: Path):
    from embspace.config import read_yaml

    kinds = {
        path.stem: type(describe_model(path.stem, read_yaml(path)))
        for path in (root / "conf/model").glob("*.yaml")
    }
    assert kinds["minilm"] is PackageModel
    assert kinds["minilm_random"] is RandomModel


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"source": "cloud"}, "key 'source': found 'cloud', allowed: package, path, random"),
        ({"revison": "abc"}, "key 'revison' is unknown; allowed here: .*path"),
        ({"position_offset": "two"}, "key 'position_offset': .*integer.*found 'two'"),
        ({"position_offset": -1}, "key 'position_offset': .*found -1"),
        ({"matrices": {"input": "a"}}, "key 'matrices.positional' is missing"),
    ],
)
def test_a_mistake_names_file_key_found_and_allowed(change: dict[str, object], message: str):
    with pytest.raises(InputError, match=rf"conf/model/tiny\.yaml: {message}"):
        describe_model("tiny", tiny_description(Path("x")) | change)
