from pathlib import Path

import pytest

from embspace.errors import InputError
from embspace.settings.model import (
    FolderModel,
    HubModel,
    PackageModel,
    RandomModel,
    describe_model,
)
from tests.tiny import tiny_description


def test_the_source_decides_what_else_is_said():
    model = describe_model("tiny", tiny_description(Path("x")))
    assert isinstance(model, FolderModel)
    assert model.position_offset == 0


def test_the_models_that_come_with_embspace_are_described(root: Path):
    from embspace.settings.schema import read_yaml

    kinds = {
        path.stem: type(describe_model(path.stem, read_yaml(path)))
        for path in (root / "conf/model").glob("*.yaml")
    }
    assert kinds["minilm"] is PackageModel
    assert kinds["minilm_random"] is RandomModel


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"source": "cloud"}, "key 'source': found 'cloud', allowed: package, path, hub, wheel"),
        ({"revison": "abc"}, "key 'revison' is unknown; allowed: .*path"),
        ({"unused_tokens": "["}, "key 'unused_tokens': .*is no regular expression"),
        (
            {"matrices": {"input": "a", "positional": None, "segment": None, "segmnt": None}},
            "key 'matrices.segmnt' is unknown; allowed: input, mapping, output, positional, "
            r"segment; did you mean 'segment'\?$",
        ),
        ({"position_offset": "two"}, "key 'position_offset': .*integer.*found 'two'"),
        ({"position_offset": -1}, "key 'position_offset': .*found -1"),
        ({"matrices": {"input": "a"}}, "key 'matrices.positional' is missing"),
        ({"masked_head": {"norm": "a"}}, "key 'masked_head.dense' is missing"),
        (
            {"masked_head": {"dense": "a", "norm": "b", "decoder": "c"}},
            "key 'masked_head.decoder' is unknown; allowed: activation, bias, dense, norm",
        ),
    ],
)
def test_a_mistake_names_file_key_found_and_allowed(change: dict[str, object], message: str):
    with pytest.raises(InputError, match=rf"conf/model/tiny\.yaml: {message}"):
        describe_model("tiny", tiny_description(Path("x")) | change)


def test_a_slip_in_the_tokenizer_of_a_random_model_names_that_key_alone():
    description = tiny_description(Path("x")) | {"source": "random", "seed": 0, "config": {}}
    del description["path"]
    description["tokenizer"] = {"source": "path", "pth": "x"}
    with pytest.raises(InputError) as caught:
        describe_model("tiny", description)
    assert str(caught.value).splitlines() == [
        "conf/model/tiny.yaml: key 'tokenizer.path' is missing",
        "conf/model/tiny.yaml: key 'tokenizer.pth' is unknown; allowed: path, sha256, source; "
        "did you mean 'path'?",
    ]


def test_a_model_that_says_nothing_of_an_output_has_none_of_its_own():
    model = describe_model("tiny", tiny_description(Path("x")))
    assert isinstance(model, FolderModel)
    assert model.matrices.output is None
    assert model.masked_head is None


def test_a_masked_head_without_an_activation_has_gelu():
    head = {"masked_head": {"dense": "head.dense", "norm": "head.norm"}}
    model = describe_model("tiny", tiny_description(Path("x")) | head)
    assert isinstance(model, FolderModel)
    assert model.masked_head is not None
    assert (model.masked_head.activation, model.masked_head.bias) == ("gelu", None)


def test_checkpoints_without_a_place_for_the_step_are_refused():
    description = {key: value for key, value in tiny_description(Path()).items() if key != "path"}
    description |= {"source": "hub", "repository": "owner/name"}
    checkpoints = {"repository": "owner/name-{step}k", "steps": [0, 20]}
    model = describe_model("tiny", description | {"checkpoints": checkpoints})
    assert isinstance(model, HubModel)
    assert model.checkpoints is not None
    assert model.checkpoints.steps == [0, 20]
    with pytest.raises(InputError, match="key 'checkpoints': .* has {step} in it"):
        describe_model("tiny", description | {"checkpoints": checkpoints | {"repository": "a/b"}})


@pytest.mark.parametrize("source", [["package"], {"a": "b"}, None, 7])
def test_a_source_that_is_no_word_is_told(source: object):
    with pytest.raises(
        InputError, match=r"conf/model/x\.yaml: key 'source': found .*, allowed: pa"
    ):
        describe_model("x", {"source": source})
