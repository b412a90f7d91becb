"""Texts of a few known words, read by tiny random models, for tests of the token tracker."""

from typing import Any

import numpy as np
import pandas as pd

from embspace.models.stream.tracked_vocabulary import TrackedVocabulary

CONTENT, FUNCTION = ["river", "table", "paint"], ["of", "the", "and"]
WORDS = [*CONTENT, *FUNCTION]
GROUPS = dict.fromkeys(CONTENT, "content") | dict.fromkeys(FUNCTION, "function")
FIRST_ID = 10  # of the first word; the others follow


def table_of(texts: list[str]) -> pd.DataFrame:
    """The tokens of texts: [CLS], id 2, and a token a word."""
    rows = []
    for window, text in enumerate(texts):
        rows.append((window, 0, 2, True, 0, 0))
        start = 0
        for position, word in enumerate(text.split(" "), start=1):
            number = FIRST_ID + WORDS.index(word) if word in WORDS else 5
            rows.append((window, position, number, False, start, start + len(word)))
            start += len(word) + 1
    columns = ["window", "position", "id", "special", "start", "end"]
    return pd.DataFrame(rows, columns=columns)


def corpus(n_documents: int = 9, seed: int = 0) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Windows, tokens and texts: two texts a document, each of both groups of words."""
    rng = np.random.default_rng(seed)
    strings = [" ".join([*rng.choice(WORDS, 6), "river", "of"]) for _ in range(2 * n_documents)]
    names = [f"t{number}" for number in range(len(strings))]
    document = [f"d{number // 2}" for number in range(len(strings))]
    texts = pd.DataFrame({"id": names, "document": document, "text": strings})
    return pd.DataFrame({"text": names}), table_of(strings), texts


def vocabulary_of(module: Any) -> TrackedVocabulary:
    """The vocabulary of a tiny BERT."""
    table = module.embeddings
    return TrackedVocabulary(
        table.word_embeddings.weight.detach().numpy(),
        table.position_embeddings.weight.detach().numpy(),
    )


class Tokenizer:
    """A tokenizer of words alone."""

    unk_token_id = 5

    def num_special_tokens_to_add(self) -> int:
        return 1

    def convert_ids_to_tokens(self, ids: list[int]) -> list[str]:
        return [
            WORDS[token_id - FIRST_ID] if 0 <= token_id - FIRST_ID < len(WORDS) else f"<{token_id}>"
            for token_id in ids
        ]

    def __call__(self, texts: list[str], **options: Any) -> dict[str, Any]:
        table = table_of([text.strip() for text in texts])
        if not options.get("add_special_tokens", True):
            table = table[~table["special"]]
        parts = [rows for _, rows in table.groupby("window")]
        return {
            "input_ids": [rows["id"].tolist() for rows in parts],
            "special_tokens_mask": [rows["special"].astype(int).tolist() for rows in parts],
            "offset_mapping": [[*zip(rows["start"], rows["end"], strict=True)] for rows in parts],
            "overflow_to_sample_mapping": list(range(len(parts))),
        }
