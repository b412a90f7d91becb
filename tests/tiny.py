"""A small random BERT in the hub's layout, for tests that need a whole model."""

from pathlib import Path

import yaml

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
WORDS = ["the", "of", "and", "cat", "dog", "sat", "mat", "sun", "rain", "boat", "tide", "bell"]
WORDS += ["salt", "bread", "light", "it", "was", "on", "in", "a"]
PIECES = ["##s", "##ing", "##ed", *(f"##{letter}" for letter in "abcdefghijklmnopqrstuvwxyz")]
LETTERS = list("abcdefghijklmnopqrstuvwxyz0123456789.,!?'-")
VOCABULARY = list(dict.fromkeys([*SPECIAL, "[unused0]", *WORDS, *LETTERS, *PIECES]))
DIM, LAYERS, POSITIONS = 32, 2, 40


def build_tiny_bert(folder: Path, seed: int = 0, positions: int = POSITIONS) -> Path:
    """Write config.json, model.safetensors and tokenizer.json of a random BERT."""
    import torch
    from transformers import BertConfig, BertModel, BertTokenizerFast

    folder.mkdir(parents=True, exist_ok=True)
    vocabulary = folder / "vocab.txt"
    vocabulary.write_text("\n".join(VOCABULARY) + "\n", encoding="utf-8")
    BertTokenizerFast(vocab=str(vocabulary)).save_pretrained(folder)
    config = BertConfig(
        vocab_size=len(VOCABULARY),
        hidden_size=DIM,
        num_hidden_layers=LAYERS,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=positions,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        BertModel(config).save_pretrained(folder)
    return folder


def tiny_description(folder: Path) -> dict[str, object]:
    """What conf/model/<name>.yaml says of it."""
    return {
        "label": "tiny",
        "license": "CC0-1.0",
        "language": "none",
        "source": "path",
        "path": str(folder),
        "matrices": {
            "input": "embeddings.word_embeddings.weight",
            "positional": "embeddings.position_embeddings.weight",
            "segment": "embeddings.token_type_embeddings.weight",
        },
        "continuation_prefix": "##",
        "unused_tokens": r"\[unused\d+\]",
    }


def write_tiny_model(
    folder: Path, conf: Path, name: str, seed: int = 0, positions: int = POSITIONS
) -> None:
    """Build the model in `folder` and describe it as conf/model/<name>.yaml."""
    description = tiny_description(build_tiny_bert(folder, seed, positions))
    path = conf / "model" / f"{name}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(yaml.safe_dump(description), encoding="utf-8")
