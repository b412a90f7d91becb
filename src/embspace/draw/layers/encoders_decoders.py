"""Compares a model's layers with those of other models, from `measure_encoders_decoders`."""

import pandas as pd
from pydantic import NonNegativeInt

from embspace.draw.page.canvas import count
from embspace.draw.page.looks import run_name
from embspace.draw.page.markdown import markdown_table, section, tables_page
from embspace.draw.page.measure_names import name_of
from embspace.draw.page.saving import Results

STAGE = "measure_encoders_decoders"
DRAWN_IN = "profile"
HOW = {"matches": "is", "differs": "is not", "depends on the rule": "is, by some tokens alone,"}
NOTE = (
    "Of tokens as they are. A model that is profiled reads the corpus of "
    "conf/measure/layers/encoders_decoders.yaml, a run the texts that its training held out; "
    "runs have a row a seed. For the dimension each vector counts once."
)


SHOWN = ["claim", "claimed_of", "change", "statistic", "value", "holds_if", "verdict"]


def draw_encoders_decoders(
    results: Results, label: str, *, digits: NonNegativeInt
) -> tuple[str, str]:
    """Return the verdicts on published claims about layers, and tables of the measures by layer."""
    table, claims = results["csv"], results["claims"]
    title, finding = f"{label} among encoders and decoders", _finding(claims, label)
    if table.empty:
        none = f"{label}: its corpus of comparison is none of those in params.yaml"
        return finding, tables_page(title, STAGE, f"None. {none}.\n")
    verdicts = section(
        "Published claims",
        "Razzhigaev et al. 2024 (arXiv 2311.05928), section 4.1, asked of this model whatever its "
        "kind; `claimed_of` is the kind that they speak of. A claim depends on the rule where its "
        "verdict is another of other tokens, or without outlier dimensions (`change`).",
        markdown_table(claims[[name for name in SHOWN if name in claims]], digits),
    )
    measures = list(dict.fromkeys(table["measure"]))
    return finding, tables_page(title, STAGE, verdicts, *_tables(table, measures, digits))


def _finding(claims: pd.DataFrame, label: str) -> str:
    """Return the verdicts on published claims about the model's own kind, and about the other."""
    said = []
    columns = ["claim", "claimed_of", "verdict"]
    for claim, kind, verdict in claims[columns].drop_duplicates().itertuples(index=False):
        how = HOW.get(str(verdict), "may or may not be")
        said.append(f"{how} {claim} (claimed of {kind}s)")
    if not said:
        return f"No published claim can be held to {label}"
    return f"The top variance share of {label} {'; it '.join(said)}"


def _labels(table: pd.DataFrame) -> dict[str, str]:
    """Return the models' labels, with the number of texts of models that read fewer."""
    first = table.drop_duplicates("name").set_index("name")
    all_texts = first["n_texts"].iloc[0]
    return {
        str(name): f"{row['label']}, {count(row['n_texts'])} texts"
        if row["n_texts"] < all_texts and row["corpus"] == first["corpus"].iloc[0]
        else run_name(str(row["label"]))
        for name, row in first.iterrows()
    }


def _tables(table: pd.DataFrame, measures: list[str], digits: int) -> list[str]:
    texts = []
    for measure in measures:
        rows = table[table["measure"] == measure]
        keys = ["kind", "name", "seed"]
        seeds = ["" if pd.isna(seed) else str(int(seed)) for seed in rows["seed"]]
        named = rows.assign(name=rows["name"].map(_labels(table)), seed=seeds)
        wide = named.pivot_table("value", keys, "layer", sort=False)
        # Models have layers that others have not: in the order of rows, 7 would stand after 30.
        wide = wide.sort_index(axis="columns").reset_index()
        wide.columns = [column if isinstance(column, str) else f"layer {column}" for column in wide]
        texts.append(section(name_of(measure), NOTE, markdown_table(wide, digits)))
    return texts
