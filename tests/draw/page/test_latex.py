import re
from pathlib import Path

import pandas as pd
import pytest

from embspace.draw.page.latex import LONGEST, escaped, latex_tables
from embspace.draw.page.markdown import code, folded, markdown_table, section, words


def page(table: pd.DataFrame) -> str:
    return "# Page\n\nStage `x`.\n\n" + section(
        "Pairs & more", "Of 50 % of all.", markdown_table(table, 2)
    )


@pytest.mark.parametrize(
    ("markdown", "latex"),
    [
        ("50 % of a_b & c", r"50 \% of a\_b \& c"),
        ("`##ing` is a piece", r"\texttt{\#\#ing} is a piece"),
        (code("`"), r"\texttt{`}"),
        (code("|"), r"\texttt{|}"),
        ("a\\|b", "a|b"),
        (words("![x](y) |_a_ \\ $"), r"![x](y) |\_a\_ \textbackslash{} \$"),
        (code("``a``"), r"\texttt{``a``}"),
        (code("\\"), r"\texttt{\textbackslash{}}"),
        ("{x}~^<$", r"\{x\}\textasciitilde{}\textasciicircum{}\textless{}\$"),
    ],
)
def test_special_characters_are_harmless(markdown: str, latex: str):
    assert escaped(markdown) == latex


def test_a_table_with_its_caption_and_alignment():
    table = pd.DataFrame({"token": ["a", "b|c"], "mean_cosine": [-0.5, float("nan")]})
    table["token"] = [code(token) for token in table["token"]]
    text = latex_tables(page(table), "similarity", "draw")
    assert "\\caption{Pairs \\& more. Of 50 \\% of all.}\\label{tab:similarity_1}" in text
    assert "\\begin{tabular}{lr}" in text
    assert "token & mean cosine \\\\\n\\midrule" in text
    assert "\\texttt{a} & $-$0.50 \\\\" in text
    assert "\\texttt{b|c} & -- \\\\" in text


def test_powers_of_ten_need_no_font_with_raised_digits():
    table = pd.DataFrame({"x": [0.5, -1.4e-5], "y": [1e-7, 2e-7], "y_low": 0.9e-7, "y_high": 3e-7})
    text = latex_tables(page(table), "x", "draw")
    assert "\\begin{tabular}{rr}" in text
    assert "$-$1.4 $\\times 10^{-5}$ & " in text
    assert "[0.9, 3.0] $\\times 10^{-7}$ \\\\" in text


def test_a_long_table_goes_over_pages():
    text = latex_tables(page(pd.DataFrame({"n": range(LONGEST + 1)})), "x", "draw")
    assert "longtable" in text
    assert text.count(" \\\\\n") >= LONGEST + 2


def test_a_page_without_tables_has_none():
    assert "\\begin" not in latex_tables("# Page\n\nNone.\n", "x", "draw")


def test_a_comment_says_which_stage_wrote_it_and_what_it_needs():
    comment = latex_tables("# Page\n\nNone.\n", "x", "draw_toys")
    assert all(line.startswith("%") for line in comment.splitlines())
    assert "stage draw_toys." in comment
    assert "\\usepackage{booktabs,longtable}" in comment


def test_all_pages_of_the_project_become_balanced_latex(root: Path):
    pages = sorted(root.glob("figures/*/minilm.md"))
    assert pages
    for path in pages:
        markdown = path.read_text(encoding="utf-8")
        text = latex_tables(markdown, path.stem, "draw")
        n_tables = len(re.findall(r"^\|[-:| ]+\|$", markdown, flags=re.MULTILINE))
        assert text.count("\\toprule") == text.count("\\bottomrule") == n_tables
        for environment in ("table", "tabular", "longtable"):
            begins = text.count(f"\\begin{{{environment}}}")
            assert begins == text.count(f"\\end{{{environment}}}")
        for line in text.splitlines():
            bare = re.sub(r"\\[{}]", "", line.partition("%")[0] if line.startswith("%") else line)
            assert bare.count("{") == bare.count("}"), line
        # As many separators in each row as in its header.
        for body in re.findall(r"\\toprule\n(.*?)\\bottomrule", text, flags=re.DOTALL):
            counts = {len(re.findall(r"(?<!\\)&", row)) for row in body.splitlines() if "&" in row}
            assert len(counts) <= 1, body


def test_a_fold_is_no_part_of_a_caption():
    page = folded("## Rest\n\nAll of it.\n\n| a |\n|---|\n| 1 |\n")
    tex = latex_tables(page, "noun", "draw_x")
    assert "details" not in tex
    assert "More" not in tex
    assert "Rest. All of it." in tex
