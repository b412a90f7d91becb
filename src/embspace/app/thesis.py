"""Writes the page of the thesis for a model: which claims hold, which fail, which are open."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pandas as pd

from embspace.app.open_questions import answers_of_open_questions, label_of
from embspace.draw.page.markdown import folded, interval, markdown_table
from embspace.errors import InputError, counted
from embspace.files.tables import load_table
from embspace.published.sources import Item, Source, read_source
from embspace.published.subjects import Subject, read_subject
from embspace.published.untrained import (
    ALSO_UNTRAINED,
    HOLDS,
    ONLY_TRAINED,
    SAME,
    UNTRAINED_TOO,
    VERDICTS,
    draws_called,
    in_draws,
    in_no_draw,
    load_verdicts,
    n_draws_of,
)
from embspace.published.untrained import OPEN as STILL_OPEN
from embspace.settings.find_description import described_in
from embspace.settings.params import CONF
from embspace.settings.schema import read_yaml

THESIS = Path("data/published/luisto_thesis.yaml")
BERT = "google-bert/bert-base-cased"
WORDS = {
    "matches": "the rule is fulfilled, by all of the interval where there is one",
    "holds, but also untrained": "random weights fulfil the same rule, too",
    "differs": "the rule is not fulfilled, by any part of the interval; a range asks both ends",
    "undecided": "the interval lies on both sides of the bound, chance gives as much, or the "
    "number rests on one example",
    "depends on the rule": "it holds by one setting or rule, not by another as good",
    "not checkable": "this model lacks what the rule asks for, or the claim is about a model or "
    "text not at hand",
    "restated": "a setting that we took over",
    "error in the source": "the text contradicts itself or its subject",
    "lost in the source": "missing in our text",
}
"""The verdicts of the ledger, with the meanings."""
IN_TABLES = (
    "In the tables brackets are a 95 % interval over texts, words or pairs; where all vectors were "
    "counted, the range that `statistic` names. `null` is the value by chance, `null_low` and "
    "`null_high` its ends, `q_value` a p-value corrected for the number of claims. In `holds if`, "
    "`value` stands for the whole interval. `random weights` is the same statistic at random "
    "weights, the median of the draws; a claim holds there if it does in one of them. "
    "[luisto_thesis.yaml]({up}/data/published/luisto_thesis.yaml) says when each rule was fixed."
)
BY_MODEL = (
    "The same rules, asked of models whose verdicts are kept; random weights match if one draw "
    "does. `here` leaves out random weights, which have their own column. –: the model lacks "
    "what is asked about, such as positions, or a first token that sees others.\n"
)
COLUMNS = (*SAME, "kind", "section", "question", "about", "statement", "statistic", "value", "low")
COLUMNS += ("high", "null", "holds_if", "verdict", "rests_on", "reason", "training")
COLUMNS += ("untrained_value", "untrained_verdict", "untrained_draws")
RATE = 1 / 4  # of random networks that fulfil a claim: an example
MOST = 2 / 3  # of a question's claims, from which the answer is mostly yes, or mostly no
OPEN = ("undecided", "depends on the rule")
DIGITS = 3
OPEN_QUESTIONS = "open_questions.md"


def thesis_page(model: str, *, up: str = "..", results: Path = Path("results")) -> str:
    """Return the page as Markdown, from the model's ledger in the current tree.

    Parameters:
        model: a name in conf/model/, with a computed ledger.
        up: the way from the page's folder to the tree, for links.
        results: the folder of the ledger.

    Raises:
        InputError: if the model is not described, or has no ledger.
    """
    subject, source = read_subject(model), read_source(THESIS)
    described = read_yaml(described_in(CONF / "model", model))
    file = results / f"ledger/{model}.csv"
    ledger = load_table(str(file))
    if lacking := sorted({*COLUMNS} - {*ledger.columns}):
        raise InputError(
            f"{file}: has no column '{lacking[0]}', it is of an older version; "
            f"`embspace run ledger --model {model}` makes it anew"
        )
    rows = ledger[ledger["source"] == source.source]
    if rows.empty:
        raise InputError(f"{file}: has no row of {source.source}")
    on_layers = {claim.claim for claim in source.claims_on_layers}  # which no ledger decides
    rows = rows[~rows["statement"].isin(on_layers)]
    claims = rows[rows["kind"] == "claim"]
    parts = [
        f"# The thesis, on {described['label']}\n",
        *_what_to_know(subject, described.get("note"), rows),
        "## What the verdicts mean\n",
        _meanings(rows, up),
        "## The research questions\n",
        *answers(source, claims),
        "## What the thesis asked\n",
        f"[Rules]({OPEN_QUESTIONS}) older than results, but for what has a date; computed by "
        f"`make all`. `embspace verify --all` decides {counted(len(on_layers), 'claim')}.\n",
        f"{answers_of_open_questions(model, up)}\n",
        "## Other claims, by section\n",
        *_sections(claims, source.sections),
        "## Claim by model\n",
        BY_MODEL,
        _by_model(claims),
        "## Errors in the source\n",
        _errors(rows),
        "## Figure by figure\n",
        _figures(source.items, model, up),
    ]
    return "\n".join(parts) + "\n"


def _what_to_know(subject: Subject, note: str | None, rows: pd.DataFrame) -> Iterator[str]:
    """Yield what one must know before reading a verdict."""
    yield (
        "R. Luisto's master's thesis *A study on the embedding spaces of the BERT language model* "
        "(2024) looks at bert-base-cased. Its statements, in our words, each with statistic and "
        "rule, are asked of this model.\n"
    )
    if not subject.is_meant_by(BERT):
        yield (
            "**No weight of the thesis's model was read here.** A claim that fails here may be "
            "right of BERT.\n"
        )
    if note:
        yield f"**The model.** {note.strip()}\n"
    numbers = rows[rows["kind"] == "number"]["verdict"].value_counts()
    claims = rows[rows["kind"] == "claim"]
    yield f"**Claims.** {_claims_told(claims)}\n"
    n = numbers.get
    yield (
        f"**Printed numbers.** The thesis also prints {int(numbers.sum())} numbers. "
        f"{n('not checkable', 0)} are of weights or texts not at hand, {n('restated', 0)} "
        f"are settings taken over. Of the others {n('matches', 0)} agree and "
        f"{n('differs', 0)} do not.\n"
    )


def _claims_told(claims: pd.DataFrame) -> str:
    """Return how many claims have each verdict, in sentences."""
    n = claims["verdict"].value_counts().get
    n_held = int(claims["verdict"].isin(HOLDS).sum())
    summary = (
        f"Of {counted(len(claims), 'claim')} {n_held} hold, {n('differs', 0)} do not, "
        f"{sum(int(n(word, 0)) for word in OPEN)} are undecided or depend on the rule, and "
        f"{n('not checkable', 0)} cannot be checked. "
    )
    if claims["untrained_verdict"].isna().all():
        return summary.rstrip()
    training = claims["training"].value_counts().get
    n_apart = n_held - int(claims["training"].notna().sum())
    undone = claims["verdict"].eq("differs") & claims["untrained_verdict"].eq("matches")
    return (
        f"{summary}Of the {n_held} that hold, {training(UNTRAINED_TOO, 0)} hold "
        f"{in_draws(claims)}, too, {training(ONLY_TRAINED, 0)} {in_no_draw(claims)}, and for "
        f"{training(STILL_OPEN, 0)} random weights decide nothing; {n_apart} read no trained "
        f"weights. Of those that do not hold, {undone.sum()} hold at random weights. "
        f"{chance_of_draws(claims)}"
    ).rstrip()


def chance_of_draws(claims: pd.DataFrame) -> str:
    """Return the chance of missing a frequent case in so few draws of random weights."""
    n_draws = n_draws_of(claims)
    if not n_draws:
        return ""
    missed = f"{100 * (1 - RATE) ** n_draws:.0f} %"
    return (
        f"A claim that one network with random weights in {1 / RATE:.0f} fulfils is missed by "
        f"{draws_called(claims)} in {missed} of cases: what holds in none of them hints at "
        "training, and proves nothing."
    )


def _meanings(rows: pd.DataFrame, up: str) -> str:
    """Return a line per verdict that occurs."""
    lines = [f"- *{word}*: {WORDS[word]}." for word in WORDS if (rows["verdict"] == word).any()]
    return "\n".join(lines) + f"\n\n{IN_TABLES.format(up=up)}\n"


def answers(source: Source, claims: pd.DataFrame, *, tables: bool = True) -> Iterator[str]:
    """Yield the claims' answer to every research question of a source, with or without tables."""
    names = claims["question"].astype("string")
    for name, question in source.questions.items():
        own = claims[names == name]
        if own.empty:
            continue
        yield f"### {name}. {question}\n"
        yield f"**{_answer(own)}** {_counts(own)}\n"
        if tables or own["verdict"].ne("not checkable").any():
            yield _lists(own)
        if tables:
            yield folded(_table(own))


def _answer(claims: pd.DataFrame) -> str:
    """Return how far the claims say yes, and how much of it holds untrained, too."""
    checked = claims[claims["verdict"] != "not checkable"]
    if checked.empty:
        return "Not answered: no claim can be checked."
    held = checked["verdict"].isin(HOLDS)
    n_untrained = int(checked.loc[held, "training"].eq(UNTRAINED_TOO).sum())
    if held.mean() >= MOST:
        words = "Mostly yes"
    elif checked["verdict"].isin(OPEN).mean() > 1 / 2:
        words = "Mostly undecided"
    else:
        words = "In part" if held.mean() > 1 - MOST else "Mostly no"
    if n_untrained:
        n_held = int(held.sum())
        amount = "all" if n_untrained == n_held else f"{n_untrained} of {n_held}"
        verb = "holds" if n_untrained == 1 else "hold"
        words += f"; of what holds, {amount} {verb} at random weights, too"
    return f"{words}."


def _sections(claims: pd.DataFrame, subjects: Mapping[str, str]) -> Iterator[str]:
    others = claims[claims["question"].isna()]
    in_order = sorted(others["section"].astype(str).unique(), key=_numbers_in)
    for section in in_order:
        rows = others[others["section"].astype(str) == section]
        about = subjects.get(section)
        yield f"### Section {section}{f': {about}' if about else ''}\n"
        yield _lists(rows)
        yield folded(_table(rows))


def _numbers_in(section: str) -> list[int]:
    return [int(part) for part in section.split(".") if part.isdigit()]


def _counts(claims: pd.DataFrame) -> str:
    """Return in a sentence how the claims of a question turn out."""
    verdict, training = claims["verdict"], claims["training"].fillna("")
    held = verdict.isin(HOLDS)
    counts = {
        ("holds", "hold", " here and not at random weights"): training == ONLY_TRAINED,
        ("holds", "hold", ", at random weights, too"): training == UNTRAINED_TOO,
        ("holds", "hold", ", where random weights decide nothing"): training == STILL_OPEN,
        ("holds", "hold", " and no trained weights are read"): held & (training == ""),
        ("does", "do", " not hold"): verdict == "differs",
        ("is", "are", " undecided or dependent on the rule"): verdict.isin(OPEN),
        ("is", "are", " not checkable"): verdict == "not checkable",
    }
    parts = [
        f"{rows.sum()} {one if rows.sum() == 1 else several}{rest}"
        for (one, several, rest), rows in counts.items()
        if rows.any()
    ]
    return f"{counted(len(claims), 'claim')}: {'; '.join(parts)}."


def _lists(claims: pd.DataFrame) -> str:
    """Return the statements, grouped by outcome."""
    verdict, training = claims["verdict"], claims["training"].fillna("")
    holds = verdict.isin(HOLDS)
    untrained, is_open = claims["untrained_verdict"].fillna(""), training == STILL_OPEN
    outcomes = {
        f"Holds here, {in_no_draw(claims)}": training == ONLY_TRAINED,
        f"Holds, {in_draws(claims)}, too": training == UNTRAINED_TOO,
        "Holds; random weights are undecided": is_open & (untrained == "undecided"),
        "Holds; at random weights it depends on the rule": (
            is_open & (untrained == "depends on the rule")
        ),
        "Holds; random weights cannot be asked": is_open & (untrained == "not checkable"),
        "Holds; not compared with random weights": is_open & (untrained == ""),
        "Holds; it reads no trained weights, or is held against random ones already": (
            holds & (training == "")
        ),
        "Does not hold": verdict == "differs",
        "Depends on the rule": verdict == "depends on the rule",
        "Undecided": verdict == "undecided",
        "Cannot be checked here": verdict == "not checkable",
    }
    lines = []
    for outcome, chosen in outcomes.items():
        if chosen.any():
            lines.append(f"- **{outcome}** ({chosen.sum()}):")
            lines += [f"  - {statement}" for statement in claims.loc[chosen, "statement"]]
    return "\n".join(lines) + "\n"


def _table(claims: pd.DataFrame) -> str:
    """Return the claims with verdict, numbers and the values at random weights."""
    open_ones = ~claims["verdict"].isin([*HOLDS, "differs"])
    reasons = claims["reason"].where(open_ones & claims["reason"].notna())
    verdicts = claims["verdict"] + (": " + reasons).fillna("")
    is_range = claims["low"] != claims["high"]  # what is exact has none
    ends = {f"value_{end}": claims[end].where(is_range) for end in ("low", "high")}
    shown = claims.assign(verdict=verdicts, **ends)
    columns = {
        "row": "row",
        "statement": "claim",
        "statistic": "statistic",
        "verdict": "verdict",
        **interval("value", "value"),
        "holds_if": "holds if",
        "null": "null",
        "untrained_value": "random weights",
        "untrained_verdict": "verdict there",
    }
    return markdown_table(shown[[*columns]].rename(columns=columns), DIGITS)


def _by_model(claims: pd.DataFrame) -> str:
    """Return the verdicts for all models whose verdicts are kept, beside this model's."""
    own = claims[claims["about"] == "weights"]
    table = own[["statement"]].assign(here=own["verdict"])
    for file in sorted(VERDICTS.glob("*.csv")):
        verdicts = own[SAME].merge(load_verdicts(file), on=SAME, how="left")["verdict"]
        table[label_of(file.stem)] = verdicts.to_numpy()
    models = [column for column in table if column != "statement"]
    for column in models:
        verdicts = table[column].replace(ALSO_UNTRAINED, "matches")
        table[column] = verdicts.where(verdicts != "not checkable")
    return markdown_table(table.rename(columns={"statement": "claim"}), DIGITS) + "\n"


def _errors(rows: pd.DataFrame) -> str:
    errors = rows[rows["verdict"] == "error in the source"]
    columns = {"section": "section", "statement": "what", "published": "printed", "reason": "why"}
    return markdown_table(errors[[*columns]].rename(columns=columns), DIGITS) + "\n"


def _figures(items: list[Item], model: str, up: str) -> str:
    lines = ["| thesis | shows | here |", "|---|---|---|"]
    for item in items:
        links = [link for noun in item.figures if (link := _link(noun, model, up))]
        lines.append(f"| {item.item} | {item.shows} | {', '.join(links) or '–'} |")
    return "\n".join(lines)


def _link(noun: str, model: str, up: str) -> str:
    """Return a link to a figure, of the model or of a toy, or to tables; empty if none exists."""
    for name in (model, "toy"):
        for file in (f"figures/{noun}/{name}.png", f"figures/{noun}/{name}.md"):
            if Path(file).is_file():
                return f"[{noun}]({up}/{file})"
    return ""
