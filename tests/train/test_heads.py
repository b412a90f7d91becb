from pathlib import Path
from typing import Any

import pytest

from embspace.errors import InputError
from embspace.train.heads import build_module, load_head, load_weights
from tests.lazy import torch
from tests.train.runs import (
    BERT,
    CAUSAL,
    CLASSIFIED,
    GPT,
    MASKED,
    PAIRED,
    phase_of,
    some_module,
    some_tokenizer,
)

ALL = {"MASKED": MASKED, "PAIRED": PAIRED, "CAUSAL": CAUSAL, "CLASSIFIED": CLASSIFIED}
VOCABULARY = {"vocab_size": 30, "pad_token_id": 0}


def weights(module: Any) -> dict[str, Any]:
    return {name: values.clone() for name, values in module.state_dict().items()}


def differing(first: Any, second: Any) -> set[str]:
    ours, theirs = weights(first), weights(second)
    assert ours.keys() == theirs.keys()
    return {name for name, values in ours.items() if not values.equal(theirs[name])}


@pytest.fixture(params=["bert", "gpt2"])
def source(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The folder of a model after a phase, an encoder's or a decoder's."""
    some_module(MASKED if request.param == "bert" else CAUSAL).save_pretrained(tmp_path / "source")
    return tmp_path / "source"


def classifier(source: Path, seed: int = 0, trainable_layers: int | None = None) -> Any:
    phase = phase_of({**CLASSIFIED, "trainable_layers": trainable_layers})
    return build_module(phase, source, ["bad", "good", "so so"], seed)


@pytest.mark.parametrize("kind", ALL)
def test_new_weights_follow_from_the_seed_alone(kind: str):
    first = some_module(ALL[kind], 1)
    torch.manual_seed(99)
    assert differing(first, some_module(ALL[kind], 1)) == set()
    assert differing(first, some_module(ALL[kind], 2))


def test_a_phase_goes_on_with_the_weights_of_its_source_and_a_head_of_the_seed(source: Path):
    module = classifier(source)
    before = load_head(source, phase_of(MASKED if "bert" in module.config.model_type else CAUSAL))
    theirs = weights(before.base_model)
    new = {
        name
        for name, values in weights(module.base_model).items()
        if name not in theirs or not values.equal(theirs[name])
    }
    assert new == {name for name in new if name.startswith("pooler.")}
    assert differing(module, classifier(source)) == set()
    heads = {"classifier.weight", "bert.pooler.dense.weight", "score.weight"}
    assert differing(module, classifier(source, seed=1)) == heads & weights(module).keys()


def test_classes_have_their_names(source: Path):
    module = classifier(source)
    assert module.config.id2label == {0: "bad", 1: "good", 2: "so so"}
    assert module.config.label2id == {"bad": 0, "good": 1, "so so": 2}
    assert module.config.num_labels == 3


@pytest.mark.parametrize("n_trainable", [0, 1, 2, None])
def test_the_last_blocks_and_what_follows_are_trained_and_nothing_else(
    source: Path, n_trainable: int | None
):
    module = classifier(source, trainable_layers=n_trainable)
    blocks = {"bert": "bert.encoder.layer.", "gpt2": "transformer.h."}[module.config.model_type]
    after = {"bert": ("bert.pooler.", "classifier."), "gpt2": ("transformer.ln_f.", "score.")}
    first = 0 if n_trainable is None else 2 - n_trainable
    starts = after[module.config.model_type] + tuple(f"{blocks}{n}." for n in range(first, 2))
    for name, values in module.named_parameters():
        is_expected = n_trainable is None or name.startswith(starts)
        assert values.requires_grad == is_expected, name


def test_more_layers_than_there_are_is_an_error(source: Path):
    message = r"key 'trainable_layers': found 3, allowed: up to 2, all of them"
    with pytest.raises(InputError, match=message):
        classifier(source, trainable_layers=3)


def test_layers_that_share_their_weights_cannot_be_parted(tmp_path: Path):
    # ALBERT has one block for all layers.
    albert = {**BERT, **VOCABULARY, "model_type": "albert", "embedding_size": 8}
    build_module(phase_of(MASKED), albert, [], 0).save_pretrained(tmp_path)
    with pytest.raises(InputError, match="trainable_layers"):
        classifier(tmp_path, trainable_layers=1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_embdd": 3}, r"key 'architecture\.n_embdd' is unknown .*mean 'n_embd'"),
        ({"n_head": 3}, r"key 'architecture': .*divisible"),
        ({"n_layer": "two"}, r"key 'architecture': .*n_layer"),
        ({"model_type": "gtp2"}, r"key 'architecture': .*gtp2"),
    ],
)
def test_a_slip_in_an_architecture_is_named(change: dict[str, Any], message: str):
    with pytest.raises(InputError, match=rf"(?s){message}"):
        build_module(phase_of(CAUSAL), {**GPT, **VOCABULARY, **change}, [], 0)


def test_a_decoder_cannot_fill_in_masks():
    with pytest.raises(InputError, match="key 'architecture': .*GPT2Config"):
        build_module(phase_of(MASKED), {**GPT, **VOCABULARY}, [], 0)


@pytest.mark.parametrize("architecture", [GPT, BERT])
def test_a_model_that_goes_on_from_left_to_right_sees_nothing_of_what_follows(
    architecture: dict[str, Any],
):
    try:
        module = build_module(phase_of(CAUSAL), {**architecture, **VOCABULARY}, [], 0).eval()
    except InputError:
        assert architecture is BERT  # an encoder may be refused
        return
    ids = torch.tensor([[5, 6, 7, 8], [5, 6, 7, 9]])
    with torch.no_grad():
        logits = module(input_ids=ids, attention_mask=torch.ones_like(ids)).logits
    assert logits[0, :3].equal(logits[1, :3])


@pytest.mark.parametrize("model_type", ["bert", "roberta"])
def test_whether_a_sentence_follows_counts_in_the_loss(model_type: str):
    architecture = {**BERT, **VOCABULARY, "model_type": model_type, "max_position_embeddings": 20}
    try:
        module = build_module(phase_of(PAIRED), architecture, [], 0).eval()
    except InputError:
        assert model_type == "roberta"  # without the head for it, it may be refused
        return
    ids = torch.tensor([[2, 5, 6, 3, 7, 3]])
    inputs = {"input_ids": ids, "attention_mask": torch.ones_like(ids), "labels": ids}
    losses = {
        float(module(**inputs, next_sentence_label=torch.tensor([label])).loss.detach())
        for label in (0, 1)
    }
    assert len(losses) == 2


@pytest.mark.parametrize("kind", ALL)
def test_weights_of_a_checkpoint_come_back(kind: str, tmp_path: Path):
    saved = some_module(ALL[kind], 1)
    saved.save_pretrained(tmp_path)
    module = some_module(ALL[kind], 2)
    load_weights(module, tmp_path)
    assert differing(module, saved) == set()
    trainable = [values.requires_grad for values in module.parameters()]
    assert trainable == [values.requires_grad for values in saved.parameters()]


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("MASKED", "BertForMaskedLM"),
        ("PAIRED", "BertForPreTraining"),
        ("CAUSAL", "GPT2LMHeadModel"),
        ("CLASSIFIED", "BertForSequenceClassification"),
    ],
)
def test_a_checkpoint_is_read_with_the_head_of_its_phase(kind: str, name: str, tmp_path: Path):
    saved = some_module(ALL[kind])
    saved.save_pretrained(tmp_path)
    module = load_head(tmp_path, phase_of(ALL[kind]))
    assert type(module).__name__ == name
    assert not module.training
    assert differing(module, saved) == set()


def test_weights_are_in_float32_and_as_large_as_the_vocabulary():
    module = some_module(CAUSAL)
    assert {values.dtype for values in module.parameters()} == {torch.float32}
    assert len(module.transformer.wte.weight) == len(some_tokenizer(is_masked=False))
