"""Tells which pairs of tokens heads of runs relate, from `measure_run_head_pairs`."""

from pathlib import Path

import pandas as pd
from pydantic import NonNegativeInt, PositiveInt

from embspace.draw.page.canvas import count, counted
from embspace.draw.page.markdown import code, markdown_table, section, tables_page
from embspace.draw.page.run_tables import with_runs
from embspace.draw.page.saving import ALL_RUNS, Results, draw_and_save, drawing_of, functions_of
from embspace.files.tables import Tables
from embspace.settings.stage import StageConfig, run_stage

STAGE = "measure_run_head_pairs"
DRAWN_IN = "parameter_alignment"
TABLES = Path(__file__).with_name("tables.yaml")
FURTHER_RESULTS = ("conf/measure/parameters/run_head_pairs.yaml",)
SETTINGS = FURTHER_RESULTS[0]
NONE = "no run with a vocabulary that is no language was trained; `make all` trains some"
FORMS = {"value_output": "values and outputs", "query_key": "queries and keys"}
BOTH = "n_above_null_and_anew"
MEANINGS = {
    "equal": "a token with itself",
    "part_of_speech": "words of one part of speech",
    "topic": "words of one topic",
    "same_number": "words of one number",
    "stem": "singular and plural of one stem",
    "place": "variants of one place of the gene",
    "near_place": "k-mers of near places",
    "follows": "k-mers of which the second begins with the bases that the first ends with",
    "precedes": "k-mers of which the first begins with the bases that the second ends with",
    "amino_acid": "k-mers of different places that begin with one amino acid",
}
FIRST = ["run", "form", "pairs", "share", "permuted", "anew", "heads", "pairing, too"]
MEANS = {"share": "share", "permuted_mean": "permuted", "paired_anew_mean": "anew"}
MEANS |= {"shuffled_mean": "shuffled"}


def draw_run_head_pairs(
    results: Results, label: str, *, n_cards: PositiveInt, digits: NonNegativeInt
) -> tuple[str, str]:
    """Return which pairs most heads of a run prefer, and tables by category and of heads."""
    tables = {name: with_runs(results[name], label) for name in ("checkpoints", "shares", "pairs")}
    title, finding = "Pairs of heads of runs", _finding(tables["checkpoints"])
    if tables["checkpoints"].empty:
        return finding, tables_page(title, STAGE, f"None: {NONE}.\n")
    return finding, tables_page(title, STAGE, *_tables(tables, results[SETTINGS], n_cards, digits))


def _ends(checkpoints: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the rows before any training and after all of it."""
    last = checkpoints.groupby("run")[["phase", "step"]].transform("last")
    is_last = (checkpoints["phase"] == last["phase"]) & (checkpoints["step"] == last["step"])
    return checkpoints[checkpoints["step"] == 0], checkpoints[is_last]


def _over_seeds(rows: pd.DataFrame) -> pd.DataFrame:
    keys = ["run", "form", "category"]
    return rows.groupby(keys, sort=False)[["n_above_null", BOTH, "n_heads"]].sum()


def _finding(checkpoints: pd.DataFrame) -> str:
    if checkpoints.empty:
        return "No run with a vocabulary that is no language was trained"
    before, after = (_over_seeds(rows) for rows in _ends(checkpoints))
    if not after["n_above_null"].any():
        return "No head of a trained run relates tokens of one category beyond chance"
    rows = after.reset_index().assign(share=lambda table: table["n_above_null"] / table["n_heads"])
    best = rows.sort_values("share", ascending=False, kind="stable").iloc[0]
    run, form, category = (str(best[key]) for key in ("run", "form", "category"))
    n, of = int(best["n_above_null"]), int(best["n_heads"])
    most = int(before["n_above_null"].max()) if len(before) else 0
    return (
        f"{n} of {counted(of, 'head')} of the {run} prefer {MEANINGS[category]} by "
        f"{FORMS[form]}, more heads than any other pairs have; {int(best[BOTH])} of them "
        "also more than the same "
        "tokens paired at random, of the others this is not found; before training at most "
        f"{count(most)}"
    )


def _tables(tables: Tables, settings: dict[str, float], n_cards: int, digits: int) -> list[str]:
    before, after = (_by_category(rows) for rows in _ends(tables["checkpoints"]))
    note = (
        f"Of {settings['n_pairs']:g} top pairs of a head among the tokens that training has read "
        f"{settings['least_count']:g} times or more, a token with itself left out but in its own "
        "row. "
        "Means over the heads and seeds of a run of the share of top pairs; `permuted` with the "
        "tokens of rows permuted, `anew` with a head's own rows and columns joined at random, "
        "`shuffled` of heads whose entries are in random order. `tokens`: those that have a value "
        "in the category. `heads`: beyond chance, of all seeds together. The p-value is over the "
        "heads of one form, category and seed, and not over these. `pairing, too`: those of them "
        "that have more such pairs than their own tokens paired anew, p-value of each head by "
        "itself; the others may only select tokens of the category."
    )
    known = after[after["pairing, too"] + after["n above"] > 0]
    first = section("Beyond chance", note, markdown_table(known[FIRST], digits))
    cards = section(
        "Strongest heads",
        "Of each run, form and category the heads with the largest share among those beyond "
        "chance, with their first pairs: what is read and what is written for it, or what asks "
        "and what is asked.",
        markdown_table(_cards(tables, n_cards), digits),
    )
    columns = [name for name in after if name != "n above"]
    return [
        first,
        cards,
        section("After training", "", markdown_table(after[columns], digits)),
        section(
            "Before training",
            "The same of the seeds' random weights, which are another null.",
            markdown_table(before[columns], digits),
        ),
    ]


def _by_category(rows: pd.DataFrame) -> pd.DataFrame:
    lines = []
    for (run, form, category), some in rows.groupby(["run", "form", "category"], sort=False):
        lines.append(
            {
                "run": run,
                "form": FORMS[str(form)],
                "pairs": MEANINGS[str(category)],
                "tokens": int(some["n_words"].max()),
                **{name: some[column].mean() for column, name in MEANS.items()},
                "largest share": some["largest_share"].max(),
                "heads": f"{int(some['n_above_null'].sum())} of {int(some['n_heads'].sum())}",
                "pairing, too": int(some[BOTH].sum()),
                "n above": int(some["n_above_null"].sum()),
            }
        )
    return pd.DataFrame(lines)


def _cards(tables: Tables, n_cards: int) -> pd.DataFrame:
    shares, pairs = tables["shares"], tables["pairs"]
    above = shares[shares["above_null"].astype(str) == "True"]
    rows = []
    for (run, form, category), some in above.groupby(["run", "form", "category"], sort=False):
        for _, row in some.nlargest(n_cards, "share").iterrows():
            place = ["run", "form", "seed", "layer", "head"]
            listed = pairs[(pairs[place] == row[place]).all(axis=1)]
            rows.append(
                {
                    "run": run,
                    "form": FORMS[str(form)],
                    "pairs": MEANINGS[str(category)],
                    "seed": str(row["seed"]),
                    "head": f"{row['layer']}.{row['head']}",
                    "share": row["share"],
                    "p": row["p_value_over_heads"],
                    "anew p": row["paired_anew_p_value"],
                    "first pairs": ", ".join(
                        f"{code(str(one))} {code(str(other))}"
                        for one, other in zip(listed["row"], listed["column"], strict=True)
                    ),
                }
            )
    return pd.DataFrame(rows)


DRAWINGS = {"run_head_pairs": drawing_of(draw_run_head_pairs, TABLES, FURTHER_RESULTS)}


def main(config: StageConfig) -> None:
    """Load, call, save."""
    draw_and_save("run_head_pairs", DRAWINGS, ALL_RUNS, "all runs", config.settings)


if __name__ == "__main__":
    run_stage(main, functions_of(DRAWINGS), groups=())
