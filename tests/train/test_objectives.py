from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from embspace.errors import InputError
from embspace.train import objectives
from embspace.train.batches import Windows, windows_of
from embspace.train.objectives import IGNORED, inputs_of
from embspace.train.word_tokenizer import word_tokenizer
from tests.lazy import torch
from tests.train.runs import CAUSAL, CLASSIFIED, MASKED, PAIRED, WINDOW, phase_of

# Words of a text stand in no other one.
APART = [" ".join(f"{text}{word}" for word in "abcde.fghijk") for text in range(30)]
APART = [text.replace(f"{number}.", ".") for number, text in enumerate(APART)]


def drawn(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def inputs(
    content_of_phase: dict[str, Any], texts: list[str], window: int = WINDOW, **given: Any
) -> tuple[dict[str, Any], Windows, Any]:
    """Those of all windows of the texts at once."""
    phase = phase_of(content_of_phase)
    is_masked = content_of_phase["objective"] != CAUSAL["objective"]
    tokenizer = word_tokenizer(texts, is_masked=is_masked)
    windows = windows_of(texts, tokenizer, window, given.get("labels"))
    rows = given.get("rows", np.arange(len(windows.ids)))
    made = inputs_of(phase, windows, rows, tokenizer, drawn(given.get("seed", 0)))
    return made, windows, tokenizer


def check_share(n_found: int, n: int, share: float) -> None:
    """By chance outside of this once in a million times."""
    low, high = binom.ppf([5e-7, 1 - 5e-7], n, share)
    assert low <= n_found <= high


@pytest.mark.parametrize("masked_share", [0.15, 0.6])
def test_hidden_exchanged_and_left_tokens_have_their_shares(masked_share: float):
    words = [f"w{number}" for number in range(500)]
    texts = [" ".join(np.random.default_rng(seed).choice(words, 400)) for seed in range(200)]
    made, windows, tokenizer = inputs({**MASKED, "masked_share": masked_share}, texts, 402)
    ids, labels = torch.from_numpy(windows.ids), made["labels"]
    is_asked = labels != IGNORED
    n_asked, is_special = int(is_asked.sum()), ids <= tokenizer.mask_token_id
    check_share(n_asked, int((~is_special).sum()), masked_share)
    assert labels[is_asked].equal(ids[is_asked])
    assert not (is_asked & is_special).any()
    is_hidden = made["input_ids"] == tokenizer.mask_token_id
    is_changed = made["input_ids"] != ids
    assert not (is_changed & ~is_asked).any()
    # One of 505 tokens, the mask among them, is put in place of a tenth.
    check_share(int(is_hidden.sum()), n_asked, 0.8 + 0.1 / 505)
    check_share(int((is_changed & ~is_hidden).sum()), n_asked, 0.1 * 503 / 505)
    check_share(int((is_asked & ~is_changed).sum()), n_asked, 0.1 + 0.1 / 505)


def test_unknown_words_and_padding_are_never_asked_for():
    texts = ["a b c d e f g h i j", "a"]
    tokenizer = word_tokenizer(texts, is_masked=True)
    windows = windows_of([f"{text} ? ?" for text in texts], tokenizer, WINDOW)
    phase = phase_of({**MASKED, "masked_share": 0.9})
    for seed in range(50):
        made = inputs_of(phase, windows, np.array([0, 1]), tokenizer, drawn(seed))
        targets = made["labels"][made["labels"] != IGNORED]
        assert (targets > tokenizer.mask_token_id).all()
        assert made["attention_mask"].sum(dim=1).tolist() == [14, 5]


def test_masks_follow_from_their_generator_alone():
    first, other = (inputs(MASKED, APART, seed=seed)[0]["input_ids"] for seed in (0, 1))
    torch.manual_seed(99)
    again = inputs(MASKED, APART)[0]["input_ids"]
    assert first.equal(again)
    assert not first.equal(other)


def test_windows_themselves_stay_as_they_are():
    _, windows, tokenizer = inputs({**MASKED, "masked_share": 0.9}, APART)
    assert np.array_equal(windows.ids, windows_of(APART, tokenizer, WINDOW).ids)


def test_a_decoder_is_asked_for_all_that_is_no_padding():
    made, windows, _ = inputs(CAUSAL, ["a b c d e", "a", "b c"])
    assert made["input_ids"].tolist() == windows.ids[:, :7].tolist()
    assert made["attention_mask"].sum(dim=1).tolist() == [7, 3, 4]
    for ids, labels, n_tokens in zip(
        made["input_ids"], made["labels"], windows.n_tokens, strict=True
    ):
        assert labels[:n_tokens].equal(ids[:n_tokens])
        assert (labels[n_tokens:] == IGNORED).all()


def test_a_batch_is_as_long_as_its_longest_window():
    made, _, _ = inputs(CAUSAL, ["a b c d e", "a", "b c"], rows=np.array([2, 1]))
    assert made["input_ids"].shape == (2, 4)


def test_a_classifier_is_asked_for_the_labels_of_its_rows():
    rows = np.array([2, 0, 2])
    made, windows, _ = inputs(
        CLASSIFIED, ["a b", "b", "c c"], labels=np.array([1, 0, 5]), rows=rows
    )
    assert made["labels"].tolist() == [5, 1, 5]
    assert made["input_ids"].tolist() == windows.ids[rows, :4].tolist()


def pairs(texts: list[str], seed: int, window: int) -> tuple[dict[str, Any], list[list[list[str]]]]:
    """Inputs of pairs, what is hidden shown again, and their two parts."""
    made, _, tokenizer = inputs(PAIRED, texts, window - 1, seed=seed)
    is_asked = made["labels"] != IGNORED
    made["input_ids"] = made["input_ids"].where(~is_asked, made["labels"])
    parts = []
    for ids, attention, segments in zip(
        made["input_ids"], made["attention_mask"], made["token_type_ids"], strict=True
    ):
        n_tokens = int(attention.sum())
        assert attention[:n_tokens].all()
        assert not segments[n_tokens:].any()
        assert (ids[n_tokens:] == tokenizer.pad_token_id).all()
        tokens = tokenizer.convert_ids_to_tokens(ids[:n_tokens].tolist())
        end = tokens.index("[SEP]")
        assert [tokens[0], tokens[-1]] == ["[CLS]", "[SEP]"]
        assert tokens.count("[SEP]") == 2
        assert segments[:n_tokens].tolist() == [0] * (end + 1) + [1] * (n_tokens - end - 1)
        parts.append([tokens[1:end], tokens[end + 1 : -1]])
    return made, parts


def texts_of(words: list[str]) -> set[str]:
    return {word.rstrip("abcdefghijk") for word in words if word != "."}


@pytest.mark.parametrize("window", [5, 9, 12, WINDOW, 40])
def test_the_label_says_whether_the_second_part_is_another_texts(window: int):
    labels = []
    for seed in range(20):
        made, parts = pairs(APART, seed, window)
        assert made["input_ids"].shape[1] <= window
        for label, (first, second) in zip(made["next_sentence_label"].tolist(), parts, strict=True):
            assert second
            if texts_of(first) and texts_of(second):
                assert (texts_of(first) != texts_of(second)) == bool(label)
        labels += made["next_sentence_label"].tolist()
    check_share(sum(labels), len(labels), 0.5)


def test_a_pair_is_parted_after_the_end_of_a_sentence():
    for seed in range(10):
        made, parts = pairs(APART, seed, WINDOW)
        for number, (text, (first, second)) in enumerate(zip(APART, parts, strict=True)):
            assert " ".join(first) == text[: text.index(".") + 1]
            if not made["next_sentence_label"][number]:
                assert text.startswith(" ".join([*first, *second]))


def test_the_length_of_the_second_part_tells_nothing():
    texts = [f"{letter} . {' '.join([letter] * n)}" for n, letter in enumerate("abcdefgh", 1)]
    lengths: dict[int, list[int]] = {0: [], 1: []}
    for seed in range(300):
        made, parts = pairs(texts, seed, 40)
        for label, (_, second) in zip(made["next_sentence_label"].tolist(), parts, strict=True):
            lengths[label].append(len(second))
    means = {label: np.mean(sizes) for label, sizes in lengths.items()}
    assert means[0] == pytest.approx(means[1], abs=0.3)


def test_without_the_end_of_a_sentence_a_pair_is_parted_in_its_middle():
    _, parts = pairs(["a b c d", "x y z", "."], 0, WINDOW)
    assert [first for first, _ in parts] == [["a", "b"], ["x"], []]


def test_a_sentence_that_ends_with_the_window_is_not_parted_there():
    _, parts = pairs(["a b c .", "x . y ."], 0, WINDOW)
    assert [first for first, _ in parts] == [["a", "b"], ["x", "."]]


def test_a_long_second_part_after_a_long_first_one_is_cut_to_the_window():
    texts = ["a b c d e f g . h", "i . j k l m n o p"]
    cut = [parts for seed in range(10) for parts in pairs(texts, seed, 12)[1]]
    first, second = texts[0].split(" . "), texts[1].split(" . ")
    joined = [[*first[0].split(), "."], second[1].split()[:1]]
    assert [len(part) for part in joined] == [8, 1]
    assert joined in cut


def test_windows_of_one_text_are_not_anothers():
    long = [" ".join(f"{text}{word}" for word in "abcdefghij" * 20) for text in range(2)]
    made, parts = pairs([*long, "."], 0, 12)
    assert made["next_sentence_label"].any()
    for label, (first, second) in zip(made["next_sentence_label"].tolist(), parts, strict=True):
        assert (texts_of(first) != texts_of(second)) == bool(label)


def test_one_text_alone_cannot_be_paired():
    with pytest.raises(InputError, match="'next_sentence_after': needs two texts, found one"):
        inputs(PAIRED, [" . ".join("abcdefghijklmnopqrstuvwxyz")])


def test_an_end_of_sentences_that_is_no_token_is_named():
    with pytest.raises(InputError, match=r"'next_sentence_after': found '!', which is no token"):
        inputs({**PAIRED, "next_sentence_after": "!"}, APART)


@pytest.mark.parametrize("content_of_phase", [MASKED, PAIRED])
def test_a_batch_asks_for_a_token_at_least(content_of_phase: dict[str, Any]):
    # A mean over no token is NaN, which ends training.
    for seed in range(30):
        made, _, _ = inputs(content_of_phase, ["a . b", "c . d"], seed=seed, rows=np.array([0]))
        assert (made["labels"] != IGNORED).any()


def test_a_share_that_hides_no_token_is_told(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(objectives, "MOST_DRAWS", 20)
    with pytest.raises(
        InputError, match=r"'masked_share': found 1e-09, of which 20 draws .* 3 tok"
    ):
        inputs({**MASKED, "masked_share": 1e-9}, ["a b c"])
