"""Tiny models of other fields and languages, and their texts, as users of a report have them.

Their tokenizers do not know the stimuli of embspace, or know them in part.
"""

import random
import string
from collections.abc import Callable
from itertools import islice, product
from pathlib import Path
from typing import Any

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
N_CHEMICAL = 591
# A token of a string of chemistry: what stands in brackets, an element, a bond, a ring.
SMILES = (
    r"(\[[^\]]+\]|Br|Cl|>>|C|N|O|S|P|F|I|b|c|n|o|s|p"
    r"|\(|\)|\.|=|#|-|\+|\\|/|:|~|@|\?|>|\*|\$|%\d{2}|\d)"
)
DIM, LAYERS, HEADS, POSITIONS = 32, 3, 4, 512


def chemical_tokens() -> list[str]:
    """591 tokens: special ones, atoms, bonds and rings, and atoms in brackets."""
    atoms = ["C", "N", "O", "S", "P", "F", "I", "Cl", "Br", *"bcnosp"]
    signs = [">>", ">", *"().=#-+\\/:~@?*$", *string.digits, *(f"%{n}" for n in range(10, 100))]
    elements = ("Na", "K", "Li", "Mg", "Pd", "Si", "Sn", "B", "Zn", "Cu", "C@", "C@@", "nH", "N+")
    charges = ("", "+", "-", "H", "H2", "H3", "+2", "-2", *(f":{n}" for n in range(1, 40)))
    bracketed = (f"[{element}{charge}]" for element, charge in product(elements, charges))
    return list(islice(dict.fromkeys([*SPECIAL, *atoms, *signs, *bracketed]), N_CHEMICAL))


def chemical_tokenizer() -> Any:
    """Cased, cut by a regular expression: a stretch without a token of chemistry is unknown."""
    from tokenizers import Regex, models, pre_tokenizers

    words = {token: number for number, token in enumerate(chemical_tokens())}
    return _fast(
        models.WordLevel(words, unk_token="[UNK]"),
        pre_tokenizers.Split(Regex(SMILES), behavior="isolated"),
    )


def chinese_tokenizer() -> Any:
    """Knows 400 characters of Chinese, and no Latin letter."""
    from tokenizers import models, pre_tokenizers

    tokens = [*SPECIAL, *(chr(0x4E00 + number) for number in range(400)), "。"]
    words = {token: number for number, token in enumerate(tokens)}
    split = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Split("", behavior="isolated")]
    )
    return _fast(models.WordLevel(words, unk_token="[UNK]"), split)


def _fast(model: Any, split: Any) -> Any:
    from tokenizers import Tokenizer, processors
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(model)
    tokenizer.pre_tokenizer = split
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    names = ("pad", "unk", "cls", "sep", "mask")
    named = {f"{name}_token": token for name, token in zip(names, SPECIAL, strict=True)}
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, model_max_length=POSITIONS, do_lower_case=False, **named
    )


def build_chemical_bert(folder: Path, seed: int = 0) -> Path:
    """A BERT with a masked head over 591 tokens of chemistry."""
    return _build("bert", folder, chemical_tokenizer(), "BertForMaskedLM", seed)


def build_tuned(pretrained: Path, folder: Path, layer: int = 2, size: float = 0.1) -> Path:
    """The same model, the queries of one layer moved by a share of their norm in one direction."""
    import torch
    from transformers import AutoModelForMaskedLM, AutoTokenizer

    module = AutoModelForMaskedLM.from_pretrained(pretrained)
    weight = module.base_model.encoder.layer[layer - 1].attention.self.query.weight
    generator = torch.Generator().manual_seed(1)
    change = torch.outer(*(torch.randn(n, generator=generator) for n in weight.shape))
    with torch.no_grad():
        weight.add_(change * (size * weight.norm() / change.norm()))
    module.save_pretrained(folder)
    AutoTokenizer.from_pretrained(pretrained).save_pretrained(folder)
    return folder


def build_chemical_albert(folder: Path, seed: int = 0) -> Path:
    """An ALBERT: one block three times, embeddings of 16 dimensions."""
    return _build("albert", folder, chemical_tokenizer(), "AlbertModel", seed, embedding_size=16)


def build_chinese_bert(folder: Path, seed: int = 0) -> Path:
    """A BERT of Chinese characters."""
    return _build("bert", folder, chinese_tokenizer(), "BertModel", seed)


def _build(
    kind: str, folder: Path, tokenizer: Any, architecture: str, seed: int, **different: Any
) -> Path:
    import torch
    import transformers

    sizes = {
        "hidden_size": DIM,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
        "intermediate_size": 2 * DIM,
        "max_position_embeddings": POSITIONS,
        "vocab_size": len(tokenizer),
        "pad_token_id": 0,
        **different,
    }
    config = transformers.AutoConfig.for_model(kind, **sizes)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        module = getattr(transformers, architecture)(config)
        for parameter in module.parameters():
            mean = float(parameter.detach().mean()) if parameter.ndim == 1 else 0.0
            torch.nn.init.normal_(parameter, mean=mean, std=0.2)
    folder.mkdir(parents=True, exist_ok=True)
    module.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def reactions(n: int = 66, seed: int = 0) -> list[tuple[str, str]]:
    """Reactions with the name of their kind, three kinds in turn."""
    rng = random.Random(seed)
    kinds = {
        "ester": ("CC(=O)O.OC{c}>>CC(=O)OC{c}", "CCO{c}.OC(=O)C>>CC(=O)OCC{c}"),
        "amide": ("NC{c}.OC(=O)C>>CC(=O)NC{c}", "Nc1ccccc1{c}.CC(=O)Cl>>CC(=O)Nc1ccccc1{c}"),
        "halide": ("OC{c}.Br>>BrC{c}", "Cc1ccc({c})cc1.Cl>>Clc1ccc({c})cc1"),
    }
    rows = []
    for number in range(n):
        kind = [*kinds][number % len(kinds)]
        chain = "".join(rng.choice(["C", "CC", "C(C)", "CO", "CN", "C(F)"]) for _ in range(6))
        rows.append((rng.choice(kinds[kind]).format(c=chain), kind))
    return rows


BUILDERS: dict[str, Callable[[Path], Path]] = {
    "chemical_bert": build_chemical_bert,
    "chemical_albert": build_chemical_albert,
    "chinese_bert": build_chinese_bert,
}
