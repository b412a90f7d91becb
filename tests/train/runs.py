"""Small runs, and texts of an invented language, that train in a second."""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd

from embspace.device import choose_device
from embspace.settings.run import Phase, Run, describe_run
from embspace.train.heads import build_module
from embspace.train.model import train_model
from embspace.train.seeds import Training
from embspace.train.word_tokenizer import word_tokenizer

WINDOW = 16
BERT: dict[str, Any] = {
    "model_type": "bert",
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 32,
    "max_position_embeddings": WINDOW,
}
GPT: dict[str, Any] = {
    "model_type": "gpt2",
    "n_embd": 16,
    "n_layer": 2,
    "n_head": 2,
    "n_positions": WINDOW,
}
BERT_MATRICES = {
    "input": "embeddings.word_embeddings.weight",
    "positional": "embeddings.position_embeddings.weight",
    "segment": "embeddings.token_type_embeddings.weight",
}
GPT_MATRICES = {"input": "wte.weight", "positional": "wpe.weight", "segment": None}

STEPS: dict[str, Any] = {
    "n_steps": 12,
    "n_checkpoints": 5,
    "batch_size": 8,
    "learning_rate": 1e-3,
    "n_warmup_steps": 3,
    "weight_decay": 0.01,
    "max_gradient_norm": 1.0,
}
MASKED = {**STEPS, "objective": "masked_language_modeling", "masked_share": 0.15}
PAIRED = {**MASKED, "next_sentence_after": "."}
CAUSAL = {**STEPS, "objective": "causal_language_modeling"}
CLASSIFIED = {**STEPS, "objective": "sequence_classification", "trainable_layers": 1}


def content(phases: dict[str, Any], **given: Any) -> dict[str, Any]:
    """What the file of a run says; of an encoder, unless its first phase is a decoder's."""
    is_causal = next(iter(phases.values()))["objective"] == CAUSAL["objective"]
    is_classified = any(phase["objective"] == CLASSIFIED["objective"] for phase in phases.values())
    return {
        "label": "small",
        "license": "CC0-1.0",
        "language": "invented",
        "corpus": "invented",
        "test_share": 0.2,
        "split_seed": 0,
        "window": WINDOW,
        "seeds": [0],
        "architecture": GPT if is_causal else BERT,
        "matrices": GPT_MATRICES if is_causal else BERT_MATRICES,
        "phases": phases,
        **({"label_column": "label"} if is_classified else {}),
        **given,
    }


def small_run(phases: dict[str, Any], **given: Any) -> Run:
    return describe_run("small", content(phases, **given))


def phase_of(content_of_phase: dict[str, Any]) -> Phase:
    first = CAUSAL if content_of_phase["objective"] == CAUSAL["objective"] else MASKED
    phases = {"first": first, "tested": content_of_phase}
    return small_run(phases).phases["tested"]


def some_texts(n_texts: int = 50, seed: int = 0) -> pd.DataFrame:
    """Texts of two classes that share no word but the full stop; a fifth is the test split."""
    generator = np.random.default_rng(seed)
    classes = np.arange(n_texts) % 2
    texts = []
    for number in classes:
        words = [f"{'ab'[number]}{word}" for word in generator.integers(12, size=14)]
        texts.append(" ".join([*words[:6], ".", *words[6:]]))
    return as_texts(texts, classes.astype(str).tolist())


def as_texts(texts: list[str], labels: list[str]) -> pd.DataFrame:
    """A table as `prepare_training_texts` gives it; the last fifth is the test split."""
    ids = [str(number) for number in range(len(texts))]
    n_test = len(texts) // 5
    return pd.DataFrame(
        {
            "id": ids,
            "document": ids,
            "text": texts,
            "half_hidden": "",
            "label": labels,
            "split": ["train"] * (len(texts) - n_test) + ["test"] * n_test,
        }
    )


def some_tokenizer(*, is_masked: bool = True) -> Any:
    return word_tokenizer(some_texts()["text"], is_masked=is_masked)


def some_module(content_of_phase: dict[str, Any], seed: int = 0, **options: Any) -> Any:
    """A model for a phase, with the vocabulary of `some_tokenizer`; a classifier of an encoder's.

    `options` are of the architecture.
    """
    if content_of_phase["objective"] == CLASSIFIED["objective"]:
        with TemporaryDirectory() as folder:
            some_module(MASKED, seed, **options).save_pretrained(folder)
            return build_module(phase_of(content_of_phase), Path(folder), ["0", "1"], seed)
    is_causal = content_of_phase["objective"] == CAUSAL["objective"]
    tokenizer = some_tokenizer(is_masked=not is_causal)
    architecture = {**(GPT if is_causal else BERT), "vocab_size": len(tokenizer), **options}
    return build_module(phase_of(content_of_phase), {"pad_token_id": 0, **architecture}, [], seed)


def training_of(root: Path, run: Run, texts: pd.DataFrame) -> Training:
    return Training("small", str(root), run, texts, choose_device("cpu"), None)


def files_of(root: Path) -> dict[str, bytes]:
    """The content of all files below a folder, hidden ones among them."""
    return {
        str(file.relative_to(root)): file.read_bytes()
        for file in sorted(root.rglob("*"))
        if file.is_file()
    }


def long_run() -> Run:
    """Of two phases, with many checkpoints: long enough to be killed in."""
    often = {"n_steps": 40, "n_checkpoints": 9}
    phases = {"pretraining": {**MASKED, **often}, "classification": {**CLASSIFIED, **often}}
    return small_run(phases)


if __name__ == "__main__":
    train_model("small", long_run(), some_texts(), sys.argv[1], "cpu")
