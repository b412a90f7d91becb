import ast
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from embspace.draw.page import looks
from embspace.draw.page.looks import (
    Look,
    all_pooling_looks,
    corpus_looks,
    pooling_looks,
    run_name,
    seed_look,
)

TABLES = ("SPACES", "POOLINGS", "LAYER_SPACES", "CLOUDS", "VERDICTS", "MODELS")


@pytest.mark.parametrize("table", TABLES)
def test_two_things_of_one_kind_differ_in_color_and_in_gray_print(table: str):
    for one, other in combinations(getattr(looks, table).values(), 2):
        assert one.color != other.color
        assert one.marker != other.marker


def test_matches_and_differs_are_told_apart_by_the_color_blind():
    """By the distance in the plane that a deuteranope has left (Viénot et al. 1999)."""

    def seen(look: Look) -> tuple[float, float]:
        red, green, blue = (channel**2.2 for channel in to_rgb(look.color))
        return 0.29 * red + 0.71 * green, blue

    matches, differs = seen(looks.VERDICTS["matches"]), seen(looks.VERDICTS["differs"])
    assert max(abs(a - b) for a, b in zip(matches, differs, strict=True)) > 0.3


def test_a_corpus_looks_the_same_whatever_stands_beside_it():
    assert corpus_looks(["posts"])["posts"] == corpus_looks(["sentences", "posts"])["posts"]


def test_other_corpora_take_looks_that_are_free():
    looks = corpus_looks(["articles", "my_texts", "theirs"])
    assert looks["my_texts"].name == "my texts"
    assert len({look.color for look in looks.values()}) == 3


def test_seeds_have_names_and_colors():
    assert seed_look(1).name == "seed 1"
    assert seed_look(0).color != seed_look(1).color


def test_runs_are_named_in_words():
    assert run_name("rna_encoder") == "RNA encoder"
    assert run_name("my run") == "my run"


def test_no_line_of_dashes_is_a_format_string(root: Path) -> None:
    """A line may be dashes, (0, (5, 1)), which `plot` takes by name alone."""
    files = sorted((root / "src/embspace/draw").rglob("*.py"))
    calls = [
        f"{file.name}:{node.lineno}"
        for file in files
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "plot"
        and any(
            isinstance(argument, ast.Attribute) and argument.attr == "line"
            for argument in node.args
        )
    ]
    assert files
    assert calls == []


def test_a_decoder_has_a_panel_of_its_last_token_in_the_place_of_the_first():
    encoder, decoder = ["cls", "mean", "max"], ["cls", "mean", "max", "last", "bag_of_words"]
    assert [*pooling_looks(encoder)] == [*all_pooling_looks(encoder)] == encoder
    assert [*pooling_looks([])] == encoder
    assert [*pooling_looks(decoder)] == ["last", "mean", "max"]
    assert [*all_pooling_looks(decoder)] == ["last", "mean", "max", "cls"]


LEAST_DIFFERENCE = 15.0  # Delta-E, to a deuteranope, of two colors with one marker and line
LEAST_LIGHTNESS = 12.0  # the same of two colors in gray print
# What is not told apart yet, by table; the list only shrinks.
TOO_ALIKE = {
    "NULLS": {("gaussian_of_covariance", "exchanged_between_texts")},
    "SENSES": {("centered", "word")},
    "TOKEN_KINDS": {("character", "ascii_character")},
}
LEGENDS = sorted(
    name
    for name, table in vars(looks).items()
    if isinstance(table, dict) and all(isinstance(look, Look) for look in table.values())
)
# Machado, Oliveira and Fernandes (2009), table 1: deuteranopia, of linear RGB.
DEUTERANOPIA = np.array(
    [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ]
)
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


def lab(color: str, seen: np.ndarray) -> np.ndarray:
    """Return L*, a* and b* of a color after a matrix of linear RGB, by the white of D65."""
    channels = np.array(to_rgb(color))
    linear = np.where(channels > 0.04045, ((channels + 0.055) / 1.055) ** 2.4, channels / 12.92)
    xyz = TO_XYZ @ np.clip(seen @ linear, 0, 1) / TO_XYZ.sum(axis=1)
    x, y, z = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def alike(one: Look, other: Look) -> bool:
    """Return whether a deuteranope, or a reader in gray, would take one look for the other."""
    seen = np.linalg.norm(lab(one.color, DEUTERANOPIA) - lab(other.color, DEUTERANOPIA))
    is_same_sign = (one.marker, one.line) == (other.marker, other.line)
    in_gray = contrast(one.color, other.color) < LEAST_LIGHTNESS
    return is_same_sign and bool(seen <= LEAST_DIFFERENCE or in_gray)


def contrast(one: str, other: str) -> float:
    """Return by how much one color is lighter or darker than another, in L*."""
    return float(abs(lab(one, np.eye(3))[0] - lab(other, np.eye(3))[0]))


def test_lightness_and_differences_are_those_of_known_colors():
    assert lab("#FFFFFF", np.eye(3)) == pytest.approx([100, 0, 0], abs=0.05)
    assert lab("#0072B2", np.eye(3))[0] == pytest.approx(46, abs=1)
    assert alike(Look("red", "#B04040"), Look("green", "#606000"))


@pytest.mark.parametrize("table", LEGENDS)
def test_no_two_things_of_a_legend_are_alike_to_the_color_blind_or_in_gray(table: str):
    things = getattr(looks, table)
    pairs = {
        (one, other) for one, other in combinations(things, 2) if alike(things[one], things[other])
    }
    assert pairs == TOO_ALIKE.get(table, set())


def test_random_weights_are_gray():
    for look in (looks.MODELS["random"], looks.NULLS["random_initialization"]):
        red, green, blue = to_rgb(look.color)
        assert red == green == blue


@pytest.mark.parametrize("color", [*looks.PALETTE, looks.YELLOW])
def test_only_grays_are_gray_to_the_color_blind(color: str):
    """Of any lightness: random weights and nulls have several grays."""
    _, *hue = lab(color, DEUTERANOPIA)
    assert color == looks.BLACK or np.linalg.norm(hue) > LEAST_DIFFERENCE
    # Blue and vermilion are as light as the gray, and far from it in hue.
    assert np.linalg.norm(hue) > 40 or contrast(color, looks.GRAY) > LEAST_LIGHTNESS
