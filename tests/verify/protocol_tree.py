"""A small study with a graph, code, texts and a model, for protocols."""

from pathlib import Path

import yaml

from tests.verify.tree import make_tree, put

RANDOM = """
label: Small
license: CC0-1.0
language: English
source: random
seed: {seed}
config: {{model_type: bert, hidden_size: 4, num_hidden_layers: 1, num_attention_heads: 1,
  intermediate_size: 4, vocab_size: 8, max_position_embeddings: 8}}
matrices: {{input: embeddings.word_embeddings.weight, positional: null, segment: null}}
"""
CORPUS = """
label: articles
license: CC0-1.0
language: English
source: builtin
path: data/texts/articles.jsonl
"""
STAGE = """
from embspace.settings.stage import run_stage

def measure_{noun}(n):
    return n + {added}

if __name__ == "__main__":
    run_stage(None, measure_{noun})
"""
NOUNS = {
    "words": ["similarity/summary/${item.model}.csv", "interrelations/${item.model}.json"],
    "shapes": ["pairs/${item.model}.csv"],
}
DONE = ["prepare_texts", "measure_words@small", "measure_shapes@small"]
PAIRS = "rank,first,second,cosine\n1,3,4,0.9\n"


def make_study() -> None:
    """Write a study of two analyses, one of texts and one of none."""
    make_tree()
    put("conf/model/small.yaml", RANDOM.format(seed=0))
    put("conf/corpus/articles.yaml", CORPUS)
    put("data/texts/articles.jsonl", '{"id": "1", "text": "The tide was out."}\n')
    put("requirements.lock", "numpy==2.4.6\n")
    put("results/pairs/small.csv", PAIRS)
    put("src/embspace/settings/stage.py", "import numpy\n\ndef run_stage(*_): ...\n")
    for name in ("__init__", "settings/__init__", "measure/__init__"):
        put(f"src/embspace/{name}.py", "")
    stages = {
        "prepare_texts": {
            "cmd": "true",
            "deps": ["data/texts"],
            "outs": ["data/prepared/texts"],
        }
    }
    for noun, outputs in NOUNS.items():
        write_code(noun)
        put(f"conf/measure/{noun}.yaml", "n_pairs: 10\n")
        stages[f"measure_{noun}"] = {
            "matrix": {"model": "${models}"},
            "cmd": "true",
            "params": [
                {f"conf/measure/{noun}.yaml": None},
                {"conf/train/${item.model}.yaml": None},
            ],
            "deps": ["data/prepared/texts"] if noun == "words" else [],
            "outs": [{f"results/{output}": {"cache": False}} for output in outputs],
        }
    put("dvc.yaml", yaml.safe_dump({"stages": stages}))


def write_code(noun: str, added: int = 0) -> Path:
    """Write the module of a stage, which adds a number."""
    return put(f"src/embspace/measure/{noun}.py", STAGE.format(noun=noun, added=added))
