"""Writes the section of a report on publications: the claims that this model's numbers decide."""

from collections.abc import Collection
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from embspace.app.page.provenance import is_decoder, other_language
from embspace.app.page.texts_read import UnknownShare, unknown_shares
from embspace.app.thesis import THESIS, answers, chance_of_draws
from embspace.draw.page.markdown import section, words
from embspace.errors import counted
from embspace.files.tables import load_table
from embspace.graph.declarations import declaration, modules
from embspace.measure.compare.ledger import SOURCES
from embspace.published.sources import CellPlace, read_source
from embspace.published.subjects import subject
from embspace.published.untrained import HOLDS, trained_share
from embspace.settings.params import CONF
from embspace.settings.schema import read_yaml
from embspace.settings.stage import settings_path

DECIDED = (*HOLDS, "differs", "depends on the rule")
OF_CLAIMS = ["section", "statement", "statistic", "value", "low", "high"]
OF_CLAIMS += ["null", "holds_if", "verdict", "untrained_value", "untrained_verdict", "reason"]
OF_NUMBERS = ["section", "statement", "published", "value", "verdict", "reason"]
WEIGHTS = "weights"  # what a claim is about; others count tokens, or follow from the config
# Chapters whose analyses read no text; claims on the others are about a language.
WITHOUT_TEXTS = ("learned", "positional")
ENCODERS, ENGLISH = "encoders", "encoders in English"


class Reader(NamedTuple):
    """The kind of a model, to decide whether a claim is about the model."""

    is_decoder: bool
    knows_english: bool

    @property
    def kinds(self) -> tuple[str, ...]:
        """Return the subjects that a source's claims must have to be about this model."""
        if self.is_decoder:
            return ()
        return (ENCODERS, ENGLISH) if self.knows_english else (ENCODERS,)

    @property
    def why_not(self) -> str:
        """Return which claims are not counted, and why; empty if all are counted."""
        if self.is_decoder:
            return "The sources speak of encoders, and this is a decoder: no claim is counted."
        if not self.knows_english:
            return (
                "The sources speak of encoders in English, which this model does not know: claims "
                "on words, sentences, texts and attention are not counted."
            )
        return ""


def reader_of(folder: Path, model: str, shares: Collection[UnknownShare] | None = None) -> Reader:
    """Return the kind of a model: by blocks, language, and the tokenizer's known tokens."""
    described = read_yaml(folder / CONF / "model" / f"{model}.yaml")
    shares = unknown_shares(folder, model) if shares is None else shares
    stimuli = [share.is_read for share in shares if share.kind == "stimuli"]
    knows_stimuli = not stimuli or 2 * sum(stimuli) > len(stimuli)
    return Reader(is_decoder(folder, model), knows_stimuli and not other_language(described))


def decided_tables(folder: Path, model: str, reader: Reader | None = None) -> str:
    """Return Markdown of the decided claims and of the numbers about this model.

    Printed numbers about further models, or about no model, are counted with the rest, like claims
    decided by toys or references, and claims on models of a different kind than the `reader`.
    """
    from embspace.draw.compare.ledger import ledger_table  # and matplotlib, which is slow

    described = read_yaml(folder / CONF / "model" / f"{model}.yaml")
    ledger = load_table(str(folder / f"results/ledger/{model}.csv"))
    reader = reader or reader_of(folder, model)
    digits = read_yaml(settings_path("draw", "ledger", folder))["digits"]
    decided = ledger["verdict"].isin(DECIDED)
    own = _numbers_of(folder, subject(model, described).repository)
    is_own_number = ledger["kind"].eq("number") & ledger["statement"].str.startswith(own)
    claims, counts = own_claims(folder, ledger, reader)
    numbers = ledger[is_own_number & decided]
    label = words(described["label"])
    shown = [*claims.index, *counts.index, *numbers.index]
    parts = [
        f"# What was published, held against {label}\n\nStage `measure_ledger`. "
        f"{_rest(ledger.drop(shown), model)} The figure counts claims on weights. "
        f"{reader.why_not}{_random_note(described)}\n",
        "## What the thesis asks\n",
        "Luisto's thesis of 2024 asks these questions of bert-base-cased. Its claims, in our "
        "words, are asked of this model; figures and tables in brackets are the thesis's. "
        f"{chance_of_draws(ledger)}\n",
        *_answers(folder, ledger),
        section(
            "Claims",
            "A claim is decided by a rule on value, interval and null: all of an interval must fit "
            "to match, none of it to differ. `random weights` and `verdict there` are by the same "
            "rule at random weights: the median of the draws, and `matches` if one of them does.",
            ledger_table(_asked_at_random(claims)[OF_CLAIMS], digits),
        ),
    ]
    if len(counts):
        note = (
            "What counts tokens or follows from the config, and claims that are held against "
            "random weights already."
        )
        parts.append(
            section(
                "Counts, and claims against random weights",
                note,
                ledger_table(_asked_at_random(counts)[OF_CLAIMS], digits),
            )
        )
    if len(numbers):
        note = "A number matches if ours rounds to what is printed."
        parts.append(section("Numbers", note, ledger_table(numbers[OF_NUMBERS], digits)))
    return "\n".join(parts)


def _asked_at_random(claims: pd.DataFrame) -> pd.DataFrame:
    """Return claims without `not checkable` as verdict at random weights."""
    known = claims["untrained_verdict"].where(claims["untrained_verdict"] != "not checkable")
    return claims.assign(untrained_verdict=known)


def own_claims(
    folder: Path, ledger: pd.DataFrame, reader: Reader
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the decided claims on weights of models such as the reader, and the exact counts."""
    speak_of = _spoken_of(folder)
    fits = ledger["statement"].map(speak_of).isin(reader.kinds)
    own = ledger[(ledger["kind"] == "claim") & ledger["verdict"].isin(DECIDED) & fits]
    own = own[~own["statement"].isin(_on_others(folder))]
    return own[own["about"] == WEIGHTS], own[own["about"] != WEIGHTS]


def _spoken_of(folder: Path) -> dict[str, str]:
    """Return the subject of every claim: encoders in English if its analyses read texts."""
    claims = (claim for file in SOURCES for claim in read_source(folder / file).claims)
    return {
        claim.claim: ENGLISH if any(_reads_texts(cell.file) for cell in claim.cells) else ENCODERS
        for claim in claims
    }


def _reads_texts(file: str) -> bool:
    """Return whether a file of results is of an analysis of texts, words or sentences.

    An analysis without a declaration is taken to read texts.
    """
    noun = Path(file).parts[1]
    return noun not in modules() or declaration(noun).chapter not in WITHOUT_TEXTS


def _answers(folder: Path, ledger: pd.DataFrame) -> list[str]:
    """Return the answers of the thesis's claims to the research questions."""
    source = read_source(folder / THESIS)
    own = ledger[(ledger["source"] == source.source) & (ledger["kind"] == "claim")]
    return list(answers(source, own, tables=False))


def own_finding(folder: Path, model: str, reader: Reader | None = None) -> str:
    """Return how many claims the model's own results decide, and how; empty if they decide none.

    Exact counts are kept apart, for no training could change their verdict.
    """
    ledger = load_table(str(folder / f"results/ledger/{model}.csv"))
    reader = reader or reader_of(folder, model)
    claims, counts = own_claims(folder, ledger, reader)
    if claims.empty:
        return ""
    verdicts = claims["verdict"]
    n_held = int(verdicts.isin(HOLDS).sum())
    n_failed, n_by_rule = (int((verdicts == word).sum()) for word in DECIDED[-2:])
    depends = "depends" if n_by_rule == 1 else "depend"
    rest = f", {n_by_rule} {depends} on the rule" if n_by_rule else ""
    apart = (
        f". {len(counts)} further {'claim counts' if len(counts) == 1 else 'claims count'} tokens, "
        "follow from the config, or are held against random weights already"
        if len(counts)
        else ""
    )
    return (
        f"Of {counted(len(verdicts), 'published claim')} on {reader.kinds[-1]} that this model "
        f"decides, {n_held} hold, {n_failed} do not{rest}{trained_share(claims)}{apart}"
    )


def _random_note(described: dict[str, Any]) -> str:
    """Return a note on what random weights can say of a claim; empty for a trained model."""
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
    """Return the claims that only toys or references decide, and no results of a model."""
    references = tuple(read_yaml(settings_path("measure", "architecture", folder))["references"])
    claims = (claim for file in SOURCES for claim in read_source(folder / file).claims)
    return {
        claim.claim
        for claim in claims
        if not any(_is_of_model(cell, references) for cell in claim.cells)
    }


def _is_of_model(cell: CellPlace, references: tuple[str, ...]) -> bool:
    """Return whether a cell is the model's, and not a reference's."""
    named = [cell.value.partition(".")[0], *cell.where.values()]
    return "{model}" in cell.file and not any(name in references for name in named)


def _rest(rows: pd.DataFrame, model: str) -> str:
    n_claims = int((rows["kind"] == "claim").sum())
    return (
        f"Not shown: {counted(n_claims, 'claim')} that are not decided here, or by toys and "
        f"references, and {counted(len(rows) - n_claims, 'printed number')} of other models or of "
        f"none, or that nothing here decides; all rows are in results/ledger/{model}.csv."
    )
