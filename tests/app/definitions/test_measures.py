"""`embspace define` and docs/definitions.md against the measures that there are."""

import doctest
from pathlib import Path

import pytest

import embspace.geometry.measures.declaration as declared
from embspace.app.definitions.measures import define, definitions_page, readable
from embspace.errors import InputError
from embspace.geometry.measures.registry import definitions


def test_every_measure_is_listed_with_its_first_line() -> None:
    listed = define(None)
    for measure in definitions().values():
        assert f"  {measure.name} " in listed
        assert measure.summary in listed


def test_a_measure_is_told_whole() -> None:
    page = define("top_variance_share")
    for part in (
        "formula:      v_1/(Σ_i v_i) = σ_1²/(Σ_i σ_i²)\n",
        "range:        [1/min(n - 1, d), 1]\n",
        "Razzhigaev",
        "rotation, rescaling, translation",
        ">>> top_variance_share(",
        "NaN where nothing varies",
    ):
        assert part in page


@pytest.mark.parametrize(
    ("formula", "shown"),
    [
        (r"\frac{1}{n(n-1)} \sum_{i \ne j} x_i", "1/(n(n-1)) Σ_(i ≠ j) x_i"),
        (r"\left( \tfrac{1}{n} \sum_j |x_j|^2 \right)^{-1}", "(1/n Σ_j |x_j|²)⁻¹"),
        (r"\sqrt{2 (d - \sqrt d)},\quad \bar m \pm \hat d_k", "√(2 (d - √d)), m̄ ± d̂_k"),
        (r"[0,\ \infty) \text{ but for } \texttt{two\_nn}", "[0, ∞) but for two_nn"),
        (r"r_{2k}(x_i),\ N_{k_c}, \arg\max_d", "r_(2k)(x_i), N_(k_c), arg max_d"),
        (r"\{\pm e^{c \cdot x_i} : X^\top X\}", "{± e^(c · x_i) : Xᵀ X}"),
    ],
)
def test_a_formula_is_readable_in_a_terminal(formula: str, shown: str) -> None:
    assert readable(formula) == shown


def test_no_measure_is_told_in_latex() -> None:
    for name, measure in definitions().items():
        facts = define(name).split(">>>")[0].replace(measure.text, "")
        assert "\\" not in facts, name
        for part in (measure.formula, measure.range):
            shown = readable(part)
            assert "  " not in shown and shown.count("{") == part.count(r"\{"), name


def test_an_unknown_measure_is_not_guessed_but_what_was_meant_is_said() -> None:
    with pytest.raises(InputError, match="found 'mean_cosin'.*did you mean 'mean_cosine'"):
        define("mean_cosin")


def test_the_page_has_every_measure_as_it_is_now(root: Path) -> None:
    page = (root / "docs/definitions.md").read_text(encoding="utf-8")
    assert definitions_page() in page, "docs/definitions.md: replace it by definitions_page()"


@pytest.mark.parametrize("whole", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_what_the_page_says_is_so(whole: bool, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By day without the two sections that draw halves of texts, which take eight seconds."""
    monkeypatch.setattr(declared, "DEFINED", dict(declared.DEFINED))  # the page declares one
    page = (root / "docs/definitions.md").read_text(encoding="utf-8")
    if not whole:
        before, mark, others = page.partition("\n## Intervals\n")
        page = before + others.partition("\n## How to read the formulas\n")[2]
        assert mark and "over_texts" not in page
    examples = doctest.DocTestParser().get_doctest(page, {}, "definitions", None, 0)
    counts = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(examples)
    assert counts.attempted > 20
    assert not counts.failed


@pytest.mark.parametrize(
    ("word", "named"),
    [
        ("anisotropy", ("direction:", "spectrum:", "mean_cosine ", "top_variance_share ")),
        ("direction", ("direction:", "mean_cosine ")),
        ("dimension", ("intrinsic_dimension:", "two_nn ")),
        ("CKA", ("linear_cka ", "debiased_linear_cka ")),
        ("linear_cka", ("linear_cka\n", "Kornblith")),
        ("Two-NN", ("two_nn\n", "family:")),
        ("isotropy", ("partition_isotropy ",)),
    ],
)
def test_families_functions_and_words_are_found(word: str, named: tuple[str, ...]) -> None:
    page = define(word)
    for part in named:
        assert part in page


def test_a_family_is_listed_alone() -> None:
    assert "spectrum:" not in define("direction")


@pytest.mark.parametrize("word", ["mean_cosin", "", "ntropy_of_nothing"])
def test_what_nothing_speaks_of_is_refused(word: str) -> None:
    with pytest.raises(InputError, match="`embspace define` lists all"):
        define(word)
