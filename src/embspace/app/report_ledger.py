"""Writes the section of a report on publications: the claims that this model's numbers decide."""

from pathlib import Path

import pandas as pd

from embspace.draw.page.markdown import markdown_table, section, words
from embspace.errors import counted
from embspace.files.tables import load_table
from embspace.measure.compare.ledger import SOURCES
from embspace.published.sources import read_source
from embspace.published.subjects import Subject, subject
from embspace.settings.params import CONF
from embspace.settings.schema import read_yaml
from embspace.settings.stage import settings_path

DECIDED = ("matches", "differs", "depends on the rule")
OF_CLAIMS = ["section", "statement", "statistic", "value", "low", "high"]
OF_CLAIMS += ["null", "holds_if", "verdict", "reason"]
OF_NUMBERS = ["section", "statement", "published", "value", "verdict", "reason"]


def decided_tables(folder: Path, model: str) -> str:
    """Return Markdown of the decided claims, of the numbers about this model, and of the rest.

    A printed number that is about another model, or about none, is counted with the rest, and so
    are claims that toys decide.
    """
    described = read_yaml(folder / CONF / "model" / f"{model}.yaml")
    ledger = load_table(str(folder / f"results/ledger/{model}.csv"))
    digits = read_yaml(settings_path("draw", "ledger", folder))["digits"]
    decided = ledger["verdict"].isin(DECIDED)
    is_claim = (ledger["kind"] == "claim") & ~ledger["statement"].isin(_claims_on_toys(folder))
    own = _numbers_of(folder, subject(model, described))
    is_own_number = (ledger["kind"] == "number") & ledger["statement"].str.startswith(own)
    claims, numbers = ledger[is_claim & decided], ledger[is_own_number & decided]
    label = words(described["label"])
    parts = [
        f"# What was published, held against {label}\n\nStage `measure_ledger`. "
        f"{_rest(ledger.drop([*claims.index, *numbers.index]), model)}\n",
        section(
            "Claims",
            "A claim is decided by a rule on value, interval and null: all of an interval must fit "
            "to match, none of it to differ.",
            markdown_table(claims[OF_CLAIMS], digits),
        ),
    ]
    if len(numbers):
        note = "A number matches if ours rounds to what is printed."
        parts.append(section("Numbers", note, markdown_table(numbers[OF_NUMBERS], digits)))
    return "\n".join(parts)


def _numbers_of(folder: Path, model: Subject) -> tuple[str, ...]:
    """Return how the statements begin that print a number of this very model."""
    entries = (entry for file in SOURCES for entry in read_source(folder / file).entries)
    return tuple(f"{entry.quantity}: " for entry in entries if entry.model == model.repository)


def _claims_on_toys(folder: Path) -> set[str]:
    """Return the claims that are decided by no results of a model."""
    claims = (claim for file in SOURCES for claim in read_source(folder / file).claims)
    return {each.claim for each in claims if not any("{model}" in cell.file for cell in each.cells)}


def _rest(rows: pd.DataFrame, model: str) -> str:
    n_claims = int((rows["kind"] == "claim").sum())
    return (
        f"Not shown: {counted(n_claims, 'claim')} that are not decided here, or by toys, and "
        f"{counted(len(rows) - n_claims, 'printed number')} of other models or of none, or that "
        f"nothing here decides; all rows are in results/ledger/{model}.csv."
    )
