"""A small random model that reads, and texts for it."""

import json
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

from embspace.measure.attention.attention_reader import AttentionReader
from embspace.models.tokenizer import load_tokenizer
from embspace.models.weights import load_model
from embspace.settings.model import describe_model
from tests.analyses import ROOT
from tests.tiny import build_tiny_bert, tiny_description

TEXTS = [
    "the cat sat on the mat. it was in the sun, and the dog sat in the rain.",
    "a boat on the tide! the bell of the boat, the salt of the tide.",
    "bread and salt, the light of the sun. a dog sat on a mat.",
    "it was the tide. the cat and the dog sat in a boat.",
    "the rain on the bell was light, and the bread was in the boat.",
    "a cat, a dog, a bell: the sun was on the mat.",
]
NOUNS = ["cat", "dog", "mat", "boat"]
# Settings for texts of the project, few of whose words a small model knows.
ARTICLES = {"texts": str(ROOT / "data/texts/articles.jsonl"), "largest_unknown_share": 0.99}


@cache
def cached_reader() -> AttentionReader:
    return tiny_reader(build_tiny_bert(Path(mkdtemp()) / "tiny"))


def tiny_reader(folder: Path) -> AttentionReader:
    model = describe_model("tiny", tiny_description(folder))
    return AttentionReader(model, load_model("tiny", model), load_tokenizer("tiny", model))


def write_texts(path: Path, texts: list[str]) -> str:
    lines = (json.dumps({"id": f"t{number}", "text": text}) for number, text in enumerate(texts))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def write_nouns(path: Path, nouns: list[str]) -> str:
    rows = [{"word": noun, "part_of_speech": "noun"} for noun in nouns]
    rows.append({"word": "sat", "part_of_speech": "verb"})
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return str(path)
