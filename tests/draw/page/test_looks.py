import ast
from itertools import combinations
from pathlib import Path

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
    found = corpus_looks(["articles", "my_texts", "theirs"])
    assert found["my_texts"].name == "my texts"
    assert len({look.color for look in found.values()}) == 3


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
        and any(isinstance(each, ast.Attribute) and each.attr == "line" for each in node.args)
    ]
    assert files
    assert calls == []


def test_a_decoder_has_a_panel_of_its_last_token_in_the_place_of_the_first():
    encoder, decoder = ["cls", "mean", "max"], ["cls", "mean", "max", "last", "bag_of_words"]
    assert [*pooling_looks(encoder)] == [*all_pooling_looks(encoder)] == encoder
    assert [*pooling_looks([])] == encoder
    assert [*pooling_looks(decoder)] == ["last", "mean", "max"]
    assert [*all_pooling_looks(decoder)] == ["last", "mean", "max", "cls"]
