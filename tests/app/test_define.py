"""`embspace define` and docs/definitions.md against the measures that there are."""

import doctest
from pathlib import Path

import pytest

import embspace.geometry.measures.declaration as declared
from embspace.app.define import define, definitions_page
from embspace.errors import InputError
from embspace.geometry.measures.registry import definitions


def test_every_measure_is_listed_with_its_first_line() -> None:
    listed = define(None)
    for each in definitions().values():
        assert f"  {each.name} " in listed
        assert each.summary in listed


def test_a_measure_is_told_whole() -> None:
    told = define("top_variance_share")
    for part in (
        r"\frac{v_1}{\sum_i v_i}",
        "Razzhigaev",
        "rotation, one scale for all, translation",
        ">>> top_variance_share(",
        "NaN where nothing varies",
    ):
        assert part in told


def test_an_unknown_measure_is_not_guessed_but_what_was_meant_is_said() -> None:
    with pytest.raises(InputError, match="found 'mean_cosin'.*did you mean 'mean_cosine'"):
        define("mean_cosin")


def test_the_page_has_every_measure_as_it_is_now(root: Path) -> None:
    page = (root / "docs/definitions.md").read_text(encoding="utf-8")
    assert definitions_page() in page, "docs/definitions.md: replace it by definitions_page()"


def test_what_the_page_says_is_so(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(declared, "DEFINED", dict(declared.DEFINED))  # the page declares one
    page = str(root / "docs/definitions.md")
    found = doctest.testfile(page, module_relative=False, optionflags=doctest.ELLIPSIS)
    assert found.attempted > 20
    assert not found.failed
