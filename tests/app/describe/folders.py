"""Folders of models as people save them."""

from pathlib import Path

from tests.tiny import build_tiny_bert
from tests.zoo import build_animal


def saved(kind: str, folder: Path) -> Path:
    """A model as people save theirs: `save_pretrained` of a class with a head, a tokenizer."""
    import transformers

    if kind != "bert_with_head":
        return build_animal(kind, folder)
    build_tiny_bert(folder)
    config = transformers.AutoConfig.from_pretrained(folder)
    transformers.BertForSequenceClassification(config).save_pretrained(folder)
    return folder
