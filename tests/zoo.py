"""A small random model of every architecture in conf/model, in the hub's layout.

What embspace is told of it is the file of a real model of the same architecture, so that the
names of parameters and modules are those that it will meet.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tokenizers import (
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)

from embspace.settings.model import Model, describe_model
from embspace.settings.schema import read_yaml

ROOT = Path(__file__).parent.parent
DIM, LAYERS, POSITIONS = 16, 3, 40
N_TEXTS = 150


@dataclass(frozen=True)
class Animal:
    """One architecture."""

    described_as: str
    """The file in conf/model."""
    blocks: str
    """The module whose parts are the blocks; of one that is used again and again, itself."""
    tokenizer: str
    tokenizer_class: str
    config: dict[str, Any]
    opens: tuple[str, ...] = ()
    """Special tokens before every text, and after it."""
    closes: tuple[str, ...] = ()


def sizes(**different: Any) -> dict[str, Any]:
    return {
        "hidden_size": DIM,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": 2,
        "intermediate_size": 32,
        "max_position_embeddings": POSITIONS,
        **different,
    }


OPT = sizes(model_type="opt", ffn_dim=32, word_embed_proj_dim=DIM)
del OPT["intermediate_size"]
GPT = {"n_embd": DIM, "n_layer": LAYERS, "n_head": 2, "n_positions": POSITIONS}
CLS = {"opens": ("[CLS]",), "closes": ("[SEP]",)}
S = {"opens": ("<s>",), "closes": ("</s>",)}

ANIMALS: dict[str, Animal] = {
    "bert": Animal(
        "bert_base_cased", "encoder.layer", "word_piece", "BertTokenizer", **CLS, config=sizes()
    ),
    "roberta": Animal(
        "roberta_base",
        "encoder.layer",
        "byte_level_bpe",
        "RobertaTokenizer",
        **S,
        config=sizes(type_vocab_size=1, max_position_embeddings=POSITIONS + 2, pad_token_id=1),
    ),
    "xlm-roberta": Animal(
        "xlm_roberta_base",
        "encoder.layer",
        "unigram",
        "XLMRobertaTokenizer",
        **S,
        config=sizes(type_vocab_size=1, max_position_embeddings=POSITIONS + 2, pad_token_id=1),
    ),
    "distilbert": Animal(
        "distilbert_base_cased",
        "transformer.layer",
        "word_piece",
        "DistilBertTokenizer",
        **CLS,
        config={
            "dim": DIM,
            "n_layers": LAYERS,
            "n_heads": 2,
            "hidden_dim": 32,
            "max_position_embeddings": POSITIONS,
        },
    ),
    "albert": Animal(
        "albert_base_v2",
        "encoder.albert_layer_groups",
        "unigram",
        "AlbertTokenizer",
        **CLS,
        config=sizes(embedding_size=8),
    ),
    "electra": Animal(
        "electra_base_discriminator",
        "encoder.layer",
        "word_piece",
        "ElectraTokenizer",
        **CLS,
        config=sizes(embedding_size=DIM),
    ),
    "deberta-v2": Animal(
        "deberta_v3_base",
        "encoder.layer",
        "unigram",
        "DebertaV2Tokenizer",
        **CLS,
        config=sizes(
            type_vocab_size=0,
            relative_attention=True,
            max_relative_positions=-1,
            position_buckets=8,
            norm_rel_ebd="layer_norm",
            share_att_key=True,
            pos_att_type=["p2c", "c2p"],
            position_biased_input=False,
        ),
    ),
    "modernbert": Animal(
        "modernbert_base",
        "layers",
        "byte_level_bpe",
        "PreTrainedTokenizerFast",
        **CLS,
        config=sizes(
            local_attention=4, pad_token_id=0, bos_token_id=2, eos_token_id=3, cls_token_id=2
        )
        | {"sep_token_id": 3},
    ),
    "mpnet": Animal(
        "all_mpnet_base_v2",
        "encoder.layer",
        "word_piece",
        "MPNetTokenizer",
        **S,
        config=sizes(max_position_embeddings=POSITIONS + 2, pad_token_id=1),
    ),
    "gpt2": Animal("gpt2", "h", "byte_level_bpe", "GPT2Tokenizer", config=GPT),
    "gpt_neox": Animal(
        "pythia_70m", "layers", "byte_level_bpe", "GPTNeoXTokenizer", config=sizes()
    ),
    "opt": Animal("opt_125m", "decoder.layers", "byte_level_bpe", "GPT2Tokenizer", OPT, ("</s>",)),
    "opt_350m": Animal(
        "opt_350m",
        "decoder.layers",
        "byte_level_bpe",
        "GPT2Tokenizer",
        OPT | {"word_embed_proj_dim": 8, "do_layer_norm_before": False},
        ("</s>",),
    ),
    "bloom": Animal(
        "bloom_560m",
        "h",
        "byte_level_bpe",
        "BloomTokenizer",
        config={"hidden_size": DIM, "n_layer": LAYERS, "n_head": 2},
    ),
    "gptj": Animal(
        "gpt_j_6b", "h", "byte_level_bpe", "GPT2Tokenizer", config=GPT | {"rotary_dim": 4}
    ),
    "llama": Animal("llama_2_7b", "layers", "fallback_bpe", "LlamaTokenizer", sizes(), ("<s>",)),
    "falcon": Animal(
        "falcon_7b",
        "h",
        "byte_level_bpe",
        "PreTrainedTokenizerFast",
        config={
            "hidden_size": DIM,
            "num_hidden_layers": LAYERS,
            "num_attention_heads": 2,
            "multi_query": True,
            "parallel_attn": True,
            "bias": False,
            "new_decoder_architecture": False,
            "alibi": False,
        },
    ),
}


def build_animal(name: str, folder: Path, positions: int = POSITIONS) -> Path:
    """Write config.json, model.safetensors and tokenizer.json of a random model."""
    import torch
    from transformers import AutoConfig, AutoModel, PreTrainedTokenizerFast
    from transformers.utils import logging

    logging.disable_progress_bar()
    animal = ANIMALS[name]
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = trained_tokenizer(animal.tokenizer, special_of(animal))
    _frame(tokenizer, animal)
    named = _special_names(animal)
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, **named).save_pretrained(folder)
    _write_config(folder / "tokenizer_config.json", animal.tokenizer_class)
    options: dict[str, Any] = {"model_type": name, **animal.config}
    options["vocab_size"] = tokenizer.get_vocab_size()
    for key in {"max_position_embeddings", "n_positions"} & options.keys():
        options[key] += positions - POSITIONS  # a table may have rows for padding besides
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(len(name))
        module = AutoModel.from_config(AutoConfig.for_model(**options))
        for parameter in module.parameters():
            if parameter.ndim == 1:  # gains of 1 and biases of 0 would hide which norm was used
                torch.nn.init.normal_(parameter, mean=float(parameter.detach().mean()), std=0.2)
        module.save_pretrained(folder)
    return folder


def describe_animal(name: str, folder: Path, **different: Any) -> Model:
    """What the real model's file says, of the small one in `folder`."""
    content = read_yaml(ROOT / "conf/model" / f"{ANIMALS[name].described_as}.yaml")
    for key in ("revision", "checkpoints", "padding_rows", "parameters"):
        content.pop(key, None)
    return describe_model(name, content | {"source": "path", "path": str(folder)} | different)


def special_of(animal: Animal) -> list[str]:
    """The special tokens of a tokenizer in the order of their ids, as in the real one."""
    if "[CLS]" in animal.opens:
        return ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    if animal.opens:
        return ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    # The class of GPT-NeoX's tokenizer adds the second one if it is not there.
    return ["<|endoftext|>", "<|padding|>"]


@cache
def texts() -> tuple[str, ...]:
    """Some of the posts that come with embspace."""
    lines = (ROOT / "data/texts/posts.jsonl").read_text(encoding="utf-8").splitlines()
    return tuple(json.loads(line)["text"] for line in lines[:N_TEXTS])


def trained_tokenizer(kind: str, special: list[str]) -> Tokenizer:
    """A tokenizer of a kind, trained on `texts`."""
    tokenizer, trainer = TOKENIZERS[kind](special)
    tokenizer.train_from_iterator(texts(), trainer)
    return tokenizer


def _word_piece(special: list[str]) -> tuple[Tokenizer, Any]:
    unknown = next(token for token in special if "unk" in token.lower())
    tokenizer = Tokenizer(models.WordPiece(unk_token=unknown))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=False)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    return tokenizer, trainers.WordPieceTrainer(vocab_size=300, **_options(special))


def _byte_level_bpe(special: list[str]) -> tuple[Tokenizer, Any]:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    options = {"vocab_size": 400, "initial_alphabet": alphabet, **_options(special)}
    return tokenizer, trainers.BpeTrainer(**options)


def _unigram(special: list[str]) -> tuple[Tokenizer, Any]:
    unknown = next(token for token in special if "unk" in token.lower())
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    options = {"vocab_size": 300, "unk_token": unknown, **_options(special)}
    return tokenizer, trainers.UnigramTrainer(**options)


def _fallback_bpe(special: list[str]) -> tuple[Tokenizer, Any]:
    tokenizer = Tokenizer(models.BPE(byte_fallback=True, unk_token="<unk>", fuse_unk=True))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()]
    )
    letters = [f"<0x{byte:02X}>" for byte in range(256)]
    return tokenizer, trainers.BpeTrainer(vocab_size=600, **_options([*special, *letters]))


TOKENIZERS: dict[str, Callable[[list[str]], tuple[Tokenizer, Any]]] = {
    "word_piece": _word_piece,
    "byte_level_bpe": _byte_level_bpe,
    "unigram": _unigram,
    "fallback_bpe": _fallback_bpe,
}


def _options(special: list[str]) -> dict[str, Any]:
    return {"special_tokens": special, "show_progress": False}


def _frame(tokenizer: Tokenizer, animal: Animal) -> None:
    """Have the tokenizer put its special tokens around each text."""
    around = [*animal.opens, *animal.closes]
    if around:
        tokenizer.post_processor = processors.TemplateProcessing(
            single=" ".join([*animal.opens, "$A", *animal.closes]),
            pair=" ".join([*animal.opens, "$A", *animal.closes, "$B:1", *animal.closes]),
            special_tokens=[
                (token, tokenizer.token_to_id(token)) for token in dict.fromkeys(around)
            ],
        )


def _special_names(animal: Animal) -> dict[str, str]:
    special = special_of(animal)
    if "<|endoftext|>" in special:
        return dict.fromkeys(("bos_token", "eos_token", "unk_token"), special[0])
    names = {"pad": "pad_token", "unk": "unk_token", "mask": "mask_token"}
    roles = {names[key]: token for token in special for key in names if key in token.lower()}
    if "[CLS]" in special:
        return roles | {"cls_token": "[CLS]", "sep_token": "[SEP]"}
    roles |= {"bos_token": "<s>", "eos_token": "</s>"}
    return roles | ({"cls_token": "<s>", "sep_token": "</s>"} if animal.closes else {})


def write_vocabulary_files(folder: Path, target: Path, config: dict[str, Any]) -> Path:
    """The same tokenizer as older repositories have it: vocab.txt, or vocab.json and merges.txt."""
    target.mkdir()
    (target / "config.json").write_bytes((folder / "config.json").read_bytes())
    (target / "tokenizer_config.json").write_text(json.dumps(config), encoding="utf-8")
    model = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))["model"]
    if "merges" not in model:
        lines = sorted(model["vocab"], key=model["vocab"].get)
        (target / "vocab.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
        return target
    merges = "\n".join(["#version: 0.2", *(" ".join(pair) for pair in model["merges"])])
    (target / "vocab.json").write_text(json.dumps(model["vocab"]), encoding="utf-8")
    (target / "merges.txt").write_text(f"{merges}\n", encoding="utf-8")
    return target


def _write_config(file: Path, tokenizer_class: str) -> None:
    """As the hub has it. transformers makes a BERT's lower case of no other sign than this."""
    content = json.loads(file.read_text(encoding="utf-8"))
    content |= {"tokenizer_class": tokenizer_class, "do_lower_case": False}
    file.write_text(json.dumps(content), encoding="utf-8")
