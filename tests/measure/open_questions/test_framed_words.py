import numpy as np
import pytest

from embspace.measure.open_questions.framed_words import vectors_in_frames
from tests.measure.attention.reading import cached_reader

FRAMES = ["the {word} sat in the sun", "a {word}!"]


def test_words_of_one_token_have_embeddings_states_and_means_of_sentences():
    import torch

    reader = cached_reader()
    known, vectors = vectors_in_frames(
        ["cat", "zebra", "dog"],
        FRAMES,
        reader.module,
        reader.tokenizer,
        None,
        most_tokens=16,
        length_key="most_tokens",
        tokens_per_batch=64,
        device="cpu",
        seed=1,
    )
    assert known == ["cat", "dog"]  # zebra is in pieces
    words, sentences = [], []
    for frame, place in zip(FRAMES, (2, 2), strict=True):
        encoded = reader.tokenizer(frame.format(word="dog"), return_tensors="pt")
        with torch.no_grad():
            hidden = reader.module(**encoded, output_hidden_states=True).hidden_states
        words.append([layer[0, place].numpy() for layer in hidden])
        sentences.append([layer[0].mean(dim=0).numpy() for layer in hidden])
    trained = vectors["trained"]
    assert trained["state"][:, 1] == pytest.approx(np.mean(words, axis=0), abs=1e-5)
    assert trained["sentence"][:, 1] == pytest.approx(np.mean(sentences, axis=0), abs=1e-5)
    assert trained["input"].shape == (1, 2, trained["state"].shape[2])
    assert not np.allclose(vectors["random"]["input"], trained["input"])
