"""Finds texts of a report that look like another language than the model's, English."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from embspace.app.reporting.english import (
    ENGLISH,
    FEWEST_WORDS,
    function_words,
    is_english,
    words_of,
)
from embspace.files.texts import load_texts
from embspace.scripts.words import has_no_spaces
from embspace.settings.own import is_own
from embspace.settings.params import CONF
from embspace.settings.schema import read_yaml

OURS = Path("data/texts/articles.jsonl")  # English texts, whose words are cut as they should be


def foreign_told(
    folder: Path,
    model: str,
    corpora: Mapping[str, tuple[str, pd.DataFrame]],
    load_tokenizer: Callable[[], Any],
) -> list[str]:
    """Return a sentence on each of the user's corpora that does not look English, as the model is.

    `corpora` has label and texts by name. The sentence gives the number of tokens per word, beside
    that of embspace's own articles. Texts of fewer than 30 words, and models of another or an
    unknown language, have no sentence.
    """
    described = read_yaml(folder / CONF / "model" / f"{model}.yaml")
    if described.get("language") != ENGLISH or not (folder / OURS).is_file():
        return []
    known = function_words(folder)
    foreign = {
        label: texts["text"].tolist()
        for name, (label, texts) in corpora.items()
        if is_own(read_yaml(folder / CONF / "corpus" / f"{name}.yaml"))
        and len(words_of(texts["text"])) >= FEWEST_WORDS
        and not is_english(texts["text"], known)
        and not texts["text"].map(has_no_spaces).any()  # what stands between two marks is no word
    }
    tokenizer = load_tokenizer() if foreign else None
    if tokenizer is None:
        return []
    ours = tokens_a_word(load_texts(str(folder / OURS))["text"].tolist(), tokenizer)
    return [
        f"{label} does not look {ENGLISH}, the language of the model: the tokenizer cuts a word of "
        f"it into {tokens_a_word(texts, tokenizer):.1f} tokens, one of embspace's articles into "
        f"{ours:.1f}."
        for label, texts in foreign.items()
    ]


def tokens_a_word(texts: Sequence[str], tokenizer: Any) -> float:
    """Return into how many tokens a word of texts is cut on average; of no words, not a number."""
    words = words_of(texts)
    n_tokens = sum(
        map(len, tokenizer(words, add_special_tokens=False, verbose=False)["input_ids"])
        if words
        else []
    )
    return n_tokens / len(words) if words else float("nan")
