from pathlib import Path
from typing import Any

import numpy as np
import pytest

from embspace.errors import InputError
from embspace.models.checkpoints import chosen_checkpoints, published_checkpoints
from embspace.settings.model import Model, describe_model
from embspace.settings.schema import read_yaml
from tests.published_training import bert_content, neox_content


def described(root: Path, name: str) -> Model:
    return describe_model(name, read_yaml(root / f"conf/model/{name}.yaml"))


def with_steps(*steps: int, **different: Any) -> Model:
    checkpoints = {"revision": "step{step}", "steps": list(steps), **different}
    return describe_model("x", neox_content() | {"checkpoints": checkpoints})


def chosen(model: Model, n: int) -> list[int]:
    return [checkpoint.step for checkpoint in chosen_checkpoints("x", model, n)]


def test_a_branch_a_step(root: Path):
    checkpoints = published_checkpoints("pythia_70m", described(root, "pythia_70m"))
    assert len(checkpoints) == 154
    at = {checkpoint.step: checkpoint for checkpoint in checkpoints}[512]
    assert at.name == "pythia_70m@step512"
    assert (at.model.repository, at.model.revision) == ("EleutherAI/pythia-70m", "step512")


def test_a_repository_a_step_is_read_at_its_main(root: Path):
    content = read_yaml(root / "conf/model/multiberts_seed_0.yaml")
    model = describe_model("multiberts_seed_0", content | {"revision": "a" * 40})
    checkpoints = published_checkpoints("multiberts_seed_0", model)
    assert [checkpoints[0].step, checkpoints[1].step, checkpoints[-1].step] == [
        0,
        20_000,
        2_000_000,
    ]
    assert checkpoints[1].name == "multiberts_seed_0@step20000"
    repository = "google/multiberts-seed_0-step_20k"
    assert (checkpoints[1].model.repository, checkpoints[1].model.revision) == (repository, "main")


def test_all_but_the_place_is_as_the_model_has_it():
    pin = {"config.json": "0" * 64}
    model = describe_model("x", bert_content() | {"sha256": pin, "unpickle": True})
    for checkpoint in published_checkpoints("x", model):
        different = {"repository", "revision", "sha256", "checkpoints"}
        same = set(type(model).model_fields) - different
        assert all(getattr(checkpoint.model, key) == getattr(model, key) for key in same)
        assert (
            checkpoint.model.unpickle
            and not checkpoint.model.sha256
            and checkpoint.model.checkpoints is None
        )


def test_a_model_without_checkpoints_is_named(root: Path):
    for name in ("minilm", "gpt2"):
        with pytest.raises(InputError, match=rf"conf/model/{name}\.yaml: has no key 'checkpoints'"):
            published_checkpoints(name, described(root, name))


def test_the_chosen_are_the_first_the_last_and_the_farthest_by_logarithm():
    powers = with_steps(*(2**k for k in range(17)))
    assert chosen(powers, 2) == [1, 2**16]
    # The middle of the logarithm of a step, and 1 for step 0.
    assert chosen(powers, 3) == [1, 2**8, 2**16]
    assert chosen(powers, 5) == [1, 2**4, 2**8, 2**12, 2**16]
    assert chosen(with_steps(0, 1, 2), 3) == [0, 1, 2]
    assert chosen(with_steps(7), 5) == [7]
    assert chosen(with_steps(9, 3, 3), 5) == [3, 9]


def test_more_are_fewer_and_some_besides(root: Path):
    for name in ("pythia_70m", "multiberts_seed_0"):
        model = described(root, name)
        for n in range(2, 20):
            fewer, more = chosen(model, n), chosen(model, n + 1)
            assert len(fewer) == n and set(fewer) < set(more)
            assert more == sorted(more)
    steps = np.log1p(chosen(described(root, "pythia_70m"), 12))
    assert np.diff(steps).max() < 2.2  # none is more than a factor of nine from the next


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"steps": []}, "key 'checkpoints.steps'"),
        ({"steps": [-1]}, "key 'checkpoints.steps.0'"),
        ({"unit": 0}, "key 'checkpoints.unit'"),
        ({"repository": "no owner {step}"}, "key 'checkpoints.repository'"),
        ({"revision": "main"}, "neither 'repository' nor 'revision' has {step} in it"),
    ],
)
def test_a_place_that_cannot_be_is_named(change: dict[str, Any], message: str):
    with pytest.raises(InputError) as caught:
        with_steps(0, 1, **change)
    assert message in str(caught.value)
