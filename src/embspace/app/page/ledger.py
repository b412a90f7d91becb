"""Writes the section of a report on publications: the claims that this model's numbers decide."""

from pathlib import Path
from typing import Any

import pandas as pd

from embspace.app.thesis import THESIS, answers
from embspace.draw.page.markdown import section, words
from embspace.errors import counted
from embspace.files.tables import load_table
from embspace.measure.compare.ledger import SOURCES
from embspace.published.sources import ANY_MODEL, CellPlace, read_source
from embspace.published.subjects import subject
from embspace.published.untrained import HOLDS, trained_share
from embspace.settings.params import CONF
from embspace.settings.schema import read_yaml
from embspace.settings.stage import settings_path

DECIDED = (*HOLDS, "differs", "depends on the rule")
OF_CLAIMS = ["section", "statement", "statistic", "value", "low", "high"]
OF_CLAIMS += ["null", "holds_if", "verdict", "untrained_value", "reason"]
OF_NUMBERS = ["section", "statement", "published", "value", "verdict", "reason"]


def decided_tables(folder: Path, model: str) -> str:
    """Return Markdown of the decided claims and of the numbers about this model.

    Printed numbers about further models, or about no model, are counted with the rest, like claims
    decided by toys or references. The figure counts all rows; the text therefore says how many
    decided rows are the same for every model.
    """
    from embspace.draw.compare.ledger import ledger_table  # and matplotlib, which is slow

    described = read_yaml(folder / CONF / "model" / f"{model}.yaml")
    ledger = load_table(str(folder / f"results/ledger/{model}.csv"))
    digits = read_yaml(settings_path("draw", "ledger", folder))["digits"]
    decided = ledger["verdict"].isin(DECIDED)
    is_number, on_others = ledger["kind"] == "number", ledger["statement"].isin(_on_others(folder))
    is_claim = (ledger["kind"] == "claim") & ~on_others
    own = subject(model, described).repository
    is_own_number = is_number & ledger["statement"].str.startswith(_numbers_of(folder, own))
    of_none = is_number & ledger["statement"].str.startswith(_numbers_of(folder, ANY_MODEL))
    same = int(((on_others | of_none) & decided).sum())
    claims, numbers = ledger[is_claim & decided], ledger[is_own_number & decided]
    label = words(described["label"])
    parts = [
        f"# What was published, held against {label}\n\nStage `measure_ledger`. "
        f"{_rest(ledger.drop([*claims.index, *numbers.index]), model)} The figure counts all rows; "
        f"{same} decided ones are of toys and references, the same for every model."
        f"{_of_random(described)}\n",
        "## What the thesis asks\n",
        *_answers(folder, ledger),
        section(
            "Claims",
            "A claim is decided by a rule on value, interval and null: all of an interval must fit "
            "to match, none of it to differ. What also holds at random weights, by the same rule, "
            "holds untrained.",
            ledger_table(claims[OF_CLAIMS], digits),
        ),
    ]
    if len(numbers):
        note = "A number matches if ours rounds to what is printed."
        parts.append(section("Numbers", note, ledger_table(numbers[OF_NUMBERS], digits)))
    return "\n".join(parts)


def _answers(folder: Path, ledger: pd.DataFrame) -> list[str]:
    """Return the answers of the thesis's claims to the research questions."""
    source = read_source(folder / THESIS)
    own = ledger[(ledger["source"] == source.source) & (ledger["kind"] == "claim")]
    return list(answers(source, own, tables=False))


def own_finding(folder: Path, model: str) -> str:
    """Return how many claims the model's own results decide, and how; empty if they decide none.

    The title of the figure counts toys and references, too, which are the same for every model.
    """
    ledger = load_table(str(folder / f"results/ledger/{model}.csv"))
    is_own = (ledger["kind"] == "claim") & ~ledger["statement"].isin(_on_others(folder))
    verdicts = ledger.loc[is_own & ledger["verdict"].isin(DECIDED), "verdict"]
    if verdicts.empty:
        return ""
    n_held = int(verdicts.isin(HOLDS).sum())
    n_failed, n_by_rule = (int((verdicts == word).sum()) for word in DECIDED[-2:])
    rest = f", {n_by_rule} depend on the rule" if n_by_rule else ""
    return (
        f"Of {counted(len(verdicts), 'published claim')} that this model decides, {n_held} hold, "
        f"{n_failed} do not{rest}{trained_share(ledger[is_own])}"
    )


def _of_random(described: dict[str, Any]) -> str:
    """Return what a model with random weights can say of a claim; empty of a trained one."""
    if described["source"] != "random":
        return ""
    return (
        " The weights of this model are random: a claim that matches here holds before any "
        "training and says nothing of what is learned; an exact count has no null beside it."
    )


def _numbers_of(folder: Path, model: str | None) -> tuple[str, ...]:
    """Return how the statements begin that print a number of this repository, or of any model."""
    entries = (entry for file in SOURCES for entry in read_source(folder / file).entries)
    return tuple(f"{entry.quantity}: " for entry in entries if entry.model == model)


def _on_others(folder: Path) -> set[str]:
    """Return the claims that are decided by toys or by references, and by no results of a model."""
    references = tuple(read_yaml(settings_path("measure", "architecture", folder))["references"])
    claims = (claim for file in SOURCES for claim in read_source(folder / file).claims)
    return {
        each.claim
        for each in claims
        if not any(_is_of_model(cell, references) for cell in each.cells)
    }


def _is_of_model(cell: CellPlace, references: tuple[str, ...]) -> bool:
    """Return whether a cell is the model's, and not of a reference that stands beside it."""
    named = [cell.value.partition(".")[0], *cell.where.values()]
    return "{model}" in cell.file and not any(name in references for name in named)


def _rest(rows: pd.DataFrame, model: str) -> str:
    n_claims = int((rows["kind"] == "claim").sum())
    return (
        f"Not shown: {counted(n_claims, 'claim')} that are not decided here, or by toys and "
        f"references, and {counted(len(rows) - n_claims, 'printed number')} of other models or of "
        f"none, or that nothing here decides; all rows are in results/ledger/{model}.csv."
    )
