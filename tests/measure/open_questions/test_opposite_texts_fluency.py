from math import log
from pathlib import Path

import numpy as np
import pytest

from embspace.measure.open_questions.opposite_texts_fluency import (
    LanguageJudge,
    MaskedJudge,
    WordPairs,
    load_judge,
)
from embspace.models.parameters.masked_head import head_of_module
from embspace.settings.model import describe_model
from tests.lazy import torch, transformers
from tests.measure.attention.reading import cached_reader
from tests.tiny import build_tiny_bert, tiny_description

SENTENCES = ["the cat sat", "the dog sat", "a cat sat on it", "the cat was light"]
TEXTS = ["the cat sat on the mat.", "rain"]


def test_pairs_that_were_read_are_likelier_than_the_same_words_in_another_order():
    pairs = WordPairs(SENTENCES)
    known, other = pairs.scores(["The cat sat", "sat the cat"])
    assert known > other
    assert np.isnan(pairs.scores([""])).all()


def test_the_smoothed_likelihood_of_a_pair_is_that_of_witten_and_bell():
    # "the" stands three times in front of two kinds of words, "cat" twice behind it; 3 of 19 words
    # are "cat", 10 kinds and one for unknown ones.
    alone = {"the": (3 + 1) / (19 + 11), "cat": (3 + 1) / (19 + 11), "": (4 + 1) / (19 + 11)}
    logs = [
        log((3 + 2 * alone["the"]) / (4 + 2)),
        log((2 + 2 * alone["cat"]) / (3 + 2)),
        log((0 + 2 * alone[""]) / (3 + 2)),
    ]
    assert WordPairs(SENTENCES).scores(["the cat"])[0] == pytest.approx(np.mean(logs))


def test_a_sentence_does_not_speak_for_itself():
    pairs = WordPairs(SENTENCES)
    (own,) = pairs.scores([SENTENCES[0]])
    (without,) = pairs.scores([SENTENCES[0]], SENTENCES[0])
    (rest,) = WordPairs(SENTENCES[1:]).scores([SENTENCES[0]])
    assert without < own
    assert without == pytest.approx(rest, abs=0.1)  # kinds of followers stay counted


def test_the_masked_judge_hides_one_token_after_the_other():
    tokenizer = cached_reader().tokenizer
    config = transformers.BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=20,
    )
    torch.manual_seed(0)
    whole = transformers.BertForMaskedLM(config).eval()
    table = whole.get_input_embeddings().weight.detach().numpy()
    judge = MaskedJudge(whole.base_model, tokenizer, head_of_module(whole, table))
    ids = torch.tensor([tokenizer(TEXTS[0])["input_ids"]])
    logs = []
    for place in range(1, ids.shape[1] - 1):
        hidden = ids.clone()
        hidden[0, place] = tokenizer.mask_token_id
        with torch.no_grad():
            row = whole(input_ids=hidden).logits[0, place].log_softmax(dim=0)
        logs.append(float(row[ids[0, place]]))
    assert judge.scores(TEXTS)[0] == pytest.approx(np.mean(logs), abs=1e-5)


def test_the_language_judge_is_minus_the_loss_of_transformers():
    tokenizer = cached_reader().tokenizer
    config = transformers.GPT2Config(
        vocab_size=len(tokenizer), n_embd=16, n_layer=1, n_head=2, n_positions=40
    )
    torch.manual_seed(0)
    whole = transformers.GPT2LMHeadModel(config).eval()
    judge = LanguageJudge(whole.transformer, tokenizer)
    losses = []
    for text in TEXTS:
        ids = torch.tensor([tokenizer(text)["input_ids"]])
        with torch.no_grad():
            losses.append(float(whole(input_ids=ids, labels=ids).loss))
    assert judge.scores(TEXTS) == pytest.approx(-np.array(losses), abs=1e-5)


def test_a_model_without_a_head_has_the_judge_that_params_yaml_names_or_none(tmp_path: Path):
    model = describe_model("tiny", tiny_description(build_tiny_bert(tmp_path / "tiny")))
    assert load_judge(str(tmp_path), "tiny", model, "smollm2_135m") is None
