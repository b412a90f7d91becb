from pathlib import Path

import pandas as pd

from embspace.measure.open_questions.opposite_texts_sentences import load_sentences, read_sentences
from tests.measure.attention.reading import cached_reader

SENTENCES = [
    "The cat sat on the mat.",
    "A dog sat, and the dogs sat on it.",  # a word of two tokens
    "It was 3 of the boat.",  # a number
    "The dog's bell was light.",  # no word of letters alone
    "Rain.",
]


def test_sentences_of_the_corpora_come_once(tmp_path: Path):
    for name, text in (("one", "The cat sat. It was light."), ("two", "It was light.")):
        pd.DataFrame({"text": [text]}).to_parquet(tmp_path / f"{name}.parquet")
    assert load_sentences(str(tmp_path), ["one", "two"]) == ["The cat sat.", "It was light."]


def test_a_sentence_counts_if_all_of_its_words_are_one_token():
    tokenizer = cached_reader().tokenizer
    chosen, words = read_sentences(SENTENCES, tokenizer, 40, 3, 9)
    (sentence,) = chosen
    assert sentence.text == SENTENCES[0]
    read = tokenizer.convert_ids_to_tokens(sentence.ids[list(sentence.places)])
    assert read == ["the", "cat", "sat", "on", "the", "mat"]
    # Small letters, and not the first of a sentence.
    assert {"cat", "on", "dog", "boat"} <= {*words.texts}
    assert not {"A", "rain", "dogs"} & {*words.texts}
    assert tokenizer.convert_ids_to_tokens(words.ids) == words.texts


def test_a_word_is_replaced_in_text_and_tokens_and_keeps_its_capital():
    tokenizer = cached_reader().tokenizer
    (sentence,), words = read_sentences(SENTENCES, tokenizer, 40, 3, 9)
    token = int(words.ids[words.texts.index("boat")])
    changed = sentence.with_word(0, "boat", token).with_word(5, "boat", token)
    assert changed.text == "Boat cat sat on the boat."
    assert tokenizer(changed.text)["input_ids"] == changed.ids.tolist()
    assert sentence.text == SENTENCES[0]
