from pathlib import Path

import pytest

from embspace.errors import InputError
from embspace.models import memory
from embspace.models.memory import check_memory
from embspace.models.weights import load_model
from embspace.settings.model import Model, describe_model
from tests.tiny import tiny_description


def with_parameters(folder: Path, parameters: int | None) -> Model:
    return describe_model("tiny", tiny_description(folder) | {"parameters": parameters})


@pytest.mark.parametrize("parameters", [None, 1, 2**28 - 1])
def test_what_fits_or_does_not_say_passes(parameters, monkeypatch, tiny_folder: Path):
    monkeypatch.setattr(memory, "available_memory", lambda: 2**30)
    check_memory("tiny", with_parameters(tiny_folder, parameters))


def test_a_model_that_does_not_fit_is_refused_before_it_is_looked_for(monkeypatch):
    monkeypatch.setattr(memory, "available_memory", lambda: 2**30)
    with pytest.raises(InputError) as caught:
        load_model("tiny", with_parameters(Path("nowhere"), 2**29))
    assert str(caught.value) == (
        "conf/model/tiny.yaml: key 'parameters': 536,870,912 of them in float32 need 2.0 GiB of "
        "memory, 1.0 GiB are available"
    )


def test_a_second_model_beside_the_first_needs_as_much(monkeypatch, tiny_folder: Path):
    monkeypatch.setattr(memory, "available_memory", lambda: 2**30)
    model = with_parameters(tiny_folder, 2**27 + 1)
    check_memory("tiny", model)
    with pytest.raises(InputError, match=r"in float32, 2 times need 1\.0 GiB"):
        check_memory("tiny", model, copies=2)
