"""Gives every drawn thing the same name, color, marker and line in all figures."""

from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

from embspace.draw.page.own_texts import corpus_called

# Okabe and Ito's colors, told apart by the color-blind. Names, so that a table below can be read.
# Their green and pink are gray to a deuteranope, as random weights are; this green and purple are
# not, and are darker and lighter than that gray.
BLUE, VERMILION, GREEN, PURPLE = "#0072B2", "#D55E00", "#1E5E00", "#B27CFF"
ORANGE, SKY, BLACK = "#E69F00", "#56B4E9", "#000000"
PALETTE = [BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY, BLACK]
GRAY = "0.45"
YELLOW = "#C4A800"  # dark enough for white paper

Line = Literal["-", "--", "-.", ":", "None"] | tuple[int, tuple[int, ...]]


class Look(NamedTuple):
    """Holds a thing's name for readers, its color, and a marker and a line for gray print."""

    name: str
    color: str
    marker: str = "o"
    line: Line = "-"


SPACES = {
    "input": Look("token embeddings", BLUE, "o", "-"),
    "positional": Look("position embeddings", VERMILION, "s", "--"),
    "token_position": Look("token-position pairs", GREEN, "^", "-."),
    "segment": Look("segment embeddings", PURPLE, "D", ":"),
}
POOLINGS = {
    "cls": Look("first token", PURPLE, "s", "--"),
    "mean": Look("mean pooling", SKY, "^", "-"),
    "max": Look("maximum pooling", ORANGE, "D", "-."),
}
# Of a decoder, in the figures of texts.
TEXT_POOLINGS = {**POOLINGS, "last": Look("last token", GREEN, "P", (0, (5, 1)))}
# The vector that the makers of a sentence model take of a text, which has no layer.
OWN_VECTOR = Look("sentence vector", BLACK, "", "-.")
LAYER_SPACES = {
    "token": Look("tokens", BLACK, "o"),
    "cls": POOLINGS["cls"],
    "mean": POOLINGS["mean"],
}
CLOUDS = {
    "joint": Look("tokens and positions", BLACK, "P", "-"),
    "joint_centered": Look("tokens and positions, centered, unit length", PURPLE, "v", "-."),
    "input": SPACES["input"]._replace(name="tokens"),
    "input_centered": Look("tokens, centered, unit length", SKY, "D", (0, (5, 1))),
    "positional": SPACES["positional"]._replace(name="positions"),
    "structured": Look("structured positions", ORANGE, "X", (0, (1, 1))),
}
_CORPORA = {
    "articles": Look("articles", BLUE, "o", "-"),
    "posts": Look("posts", VERMILION, "^", "--"),
    "sentences": Look("sentences", GREEN, "s", "-."),
    "model_card": Look("model card", ORANGE, "D", ":"),
}
_OTHER_CORPORA = (
    Look("", PURPLE, "v", (0, (5, 1))),
    Look("", SKY, "P", (0, (3, 1, 1, 1))),
    Look("", BLACK, "X", (0, (1, 1))),
)
SEEDS = (
    Look("seed 0", BLUE, "o", "-"),
    Look("seed 1", VERMILION, "^", "--"),
    Look("seed 2", GREEN, "s", "-."),
    Look("seed 3", PURPLE, "D", ":"),
)
TEXTS = (
    Look("first text", BLACK, "o", "-"),
    Look("second text", PURPLE, "D", "--"),
    Look("third text", SKY, "P", "-."),
    Look("fourth text", ORANGE, "v", ":"),
)
# Blue against vermilion is the pair that color-blind readers tell apart best; L* 46 and 54 in gray,
# so that the marker says it, too.
VERDICTS = {
    "matches": Look("matches", BLUE, "o"),
    "holds, but also untrained": Look("holds, but also untrained", SKY, "h"),
    "differs": Look("differs", VERMILION, "X"),
    "undecided": Look("undecided", ORANGE, "D"),
    "depends on the rule": Look("depends on the rule", PURPLE, "s"),
    "not checkable": Look("not checkable here", "0.75", "."),
    "restated": Look("settings taken over", YELLOW, "v"),
    "error in the source": Look("errors in the source", GREEN, "P"),
    "lost in the source": Look("lost in the source", "0.5", "*"),
}
CUBES = {
    "shifted": Look("shifted", BLUE, "o", "-"),
    "turned": Look("turned", VERMILION, "^", "-"),
    "flat": Look("flat", GREEN, "s", "-"),
    "all": Look("all together", BLACK, "P", "-"),
}
CIRCLES = (Look("one circle", BLUE, "."), Look("the other", VERMILION, "."))
MODELS = {
    "encoder": Look("encoder", BLUE, "o", "-"),
    "decoder": Look("decoder", VERMILION, "s", "--"),
    "random": Look("random weights", GRAY, "x", ":"),
}
# Words have the color of the token embeddings, of which they are most; none has that of positions.
TOKEN_KINDS = {
    "word": Look("words", BLUE, "o"),
    "subword": Look("word pieces", SKY, "^"),
    "number": Look("numbers", GREEN, "s"),
    "character": Look("single characters", YELLOW, "D"),
    "ascii_character": Look("ASCII characters", YELLOW, "D"),
    "other_character": Look("non-ASCII characters", "#F0E28A", "d"),
    "byte": Look("no whole character", ORANGE, "P"),
    "unused": Look("unused tokens", "0.78", "v"),
    "special": Look("special tokens", BLACK, "*"),
    "other": Look("other tokens", "0.3", "X"),
}
NULLS = {
    "isotropic_gaussian": Look("isotropic Gaussian", GRAY, "", ":"),
    "coordinates_shuffled": Look("coordinates shuffled", GRAY, "", "--"),
    "gaussian_of_covariance": Look("Gaussian of equal covariance", GRAY, "", "-."),
    "exchanged_between_texts": Look("tokens exchanged between texts", GRAY, "", "-."),
    "rotated_paths": Look("paths rotated at random", "0.8", "", "-"),
    "random_initialization": Look("random weights", GRAY, "", (0, (5, 1))),
    "labels_shuffled": Look("labels shuffled", GRAY, "x", ":"),
    "shuffled_entries": Look("weights shuffled", GRAY, "", (0, (3, 1, 1, 1, 1, 1))),
}
PREPARATIONS = {
    "raw": "raw",
    "centered": "centered",
    "unit_length": "unit length",
    "centered_unit_length": "centered, unit length",
}
SENSES = {
    "raw": Look("raw cosine", SKY, "^", "--"),
    "centered": Look("centered cosine", BLACK, "o"),
    "word": Look("the word itself", BLACK, "o"),
    "context": Look("mean of other tokens", ORANGE, "D", "--"),
    "bag_of_words": Look("counts of other tokens", PURPLE, "", "-."),
}
PROBES = {
    "logistic_regression": Look("logistic regression", BLUE, "o", "-"),
    "one_hidden_layer": Look("one hidden layer", VERMILION, "s", "--"),
    "gradient_boosting": Look("gradient boosting", GREEN, "^", "-."),
}
MAP_METHODS = {
    "space": Look("no map, all dimensions", BLACK, "o"),
    "pca": Look("PCA", BLACK, "s"),
    "tsne": Look("t-SNE", BLACK, "^"),
    "umap": Look("UMAP", BLACK, "D"),
}


def run_name(run: str) -> str:
    """Return the name of a training run as a reader sees it."""
    return run.replace("_", " ").replace("rna", "RNA")


def names(looks: Mapping[str, Look]) -> dict[str, str]:
    """Return the names of things for readers."""
    return {thing: look.name for thing, look in looks.items()}


def corpus_looks(corpora: Iterable[str]) -> dict[str, Look]:
    """Return the look of every corpus: a fixed look for embspace's corpora, else a free look.

    Further corpora take the free looks in the given order, cyclically.
    """
    looks, names = dict[str, Look](), list(dict.fromkeys(corpora))
    others = [name for name in names if name not in _CORPORA]
    free = [look for name, look in _CORPORA.items() if name not in names]
    free = [*_OTHER_CORPORA, *free]
    for number, name in enumerate(others):
        looks[name] = free[number % len(free)]._replace(name=_called(name))
    return {name: _CORPORA[name] if name in _CORPORA else looks[name] for name in names}


def _called(corpus: str) -> str:
    called = corpus_called(corpus)
    return called if called != corpus else corpus.replace("_", " ")


def pooling_looks(poolings: Iterable[str]) -> dict[str, Look]:
    """Return the looks of the three poolings with panels in figures.

    For a decoder the last token takes the place of the first, which has no context.
    """
    first = "last" if "last" in set(poolings) else "cls"
    return {pooling: TEXT_POOLINGS[pooling] for pooling in (first, "mean", "max")}


def all_pooling_looks(poolings: Iterable[str]) -> dict[str, Look]:
    """Return the looks of the poolings with a panel, and of further poolings in a table."""
    there = set(poolings)
    others = {pooling: look for pooling, look in TEXT_POOLINGS.items() if pooling in there}
    return pooling_looks(there) | others


def text_looks(texts: Iterable[str]) -> dict[str, Look]:
    """Return the look of every short text of the stimuli, by name; a fifth has the first's."""
    names = list(dict.fromkeys(texts))
    looks = (TEXTS[number % len(TEXTS)] for number in range(len(names)))
    return {name: look._replace(name=f"“{name}”") for name, look in zip(names, looks, strict=True)}


def seed_look(seed: int) -> Look:
    """Return the look of a seed; a fifth seed has the first's."""
    return SEEDS[seed % len(SEEDS)]._replace(name=f"seed {seed}")
