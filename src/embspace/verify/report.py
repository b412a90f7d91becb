"""The outcome as text in a terminal: legible at 100 columns and without color."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table

from embspace.published.numbers import Check, SourceReport
from embspace.published.runs import Ruling, RunReport
from embspace.published.subjects import MODELS, names_of
from embspace.verify.compare import Fact
from embspace.verify.drift import Drift, FileReport

WIDTH = 100  # where there is no terminal to ask
N_SHOWN = 10  # drifted facts a file


class Report:
    """Writes to standard output."""

    def __init__(self) -> None:
        width = None if sys.stdout.isatty() else WIDTH
        # No markup: the token [CLS] is a word here, not a style.
        self._console = Console(width=width, markup=False, highlight=False, emoji=False)

    def show_drift(self, drift: Drift) -> None:
        """One row a result, then what drifted."""
        if drift.files:
            self._console.print(_file_table(drift.files))
            self._say("worst: the largest deviation from the baseline; 1 is all that is allowed")
        for file in drift.files:
            if file.comparison is not None and file.comparison.drifted:
                self._show_drifted(file.file, file.comparison.drifted)
        for model in drift.without_baseline:
            self._say(f"warning: {model} has no baseline; `embspace verify --update` makes one")
        for corpus in drift.new_corpora:
            self._say(
                f"warning: corpus {corpus} has no baseline; `embspace verify --update` makes one"
            )
        if drift.left_out:
            self._show_left_out(drift)
        for model in drift.without_results:
            self._say(f"FAILED: {model} has no results; `dvc repro` makes them")

    def show_published(self, sources: Sequence[SourceReport]) -> None:
        """One row a number; one line for all that need another model."""
        for source in sources:
            if not (source.checks or source.not_measured):
                continue  # it prints no number
            self._say(f"\nPublished: {source.source}")
            if source.checks:
                self._console.print(_published_table(source.checks))
            for model, n in source.not_measured.items():
                self._say(f"  {n} numbers need {model}: {_how_to_add(model)}")

    def show_rulings(self, reports: Sequence[RunReport]) -> None:
        """One row a claim on training and run. A claim that differs is a finding, no failure."""
        for report in reports:
            self._say(f"\nClaims on layers and training: {report.source}")
            if report.rulings:
                self._console.print(_ruling_table(report.rulings))
            else:
                n, key = report.n_claims, "`profiled` and `trained` in params.yaml"
                self._say(f"  {n} claims are about encoders and decoders: {key} name none")

    def show_update(self, n_written: int, n_removed: int, provenance: Path) -> None:
        """What an update has changed."""
        self._say(f"\nbaselines: {n_written} written, {n_removed} removed; see also {provenance}")

    def show_summary(self, drift: Drift, failures: Mapping[str, int]) -> None:
        """Where the results come from, and the line that decides."""
        here = sum(file.computed_here is True for file in drift.files)
        git = sum(file.computed_here is False for file in drift.files)
        advice = "; `dvc repro --force` computes all of them here" if git else ""
        self._say(f"\n{here} files computed in this tree, {git} from git{advice}")
        counts = ", ".join(f"{what}: {n:,}" for what, n in failures.items() if n)
        self._say(f"FAILED: {counts}" if counts else f"passed: {_what_passed(drift)}")

    def _show_left_out(self, drift: Drift) -> None:
        for corpora in drift.changed_corpora:
            self._say(
                f"warning: params.yaml lists the corpora {', '.join(corpora.now)}; the baselines "
                f"were made with {', '.join(corpora.before)}"
            )
        self._say("All corpora enter into these results, which were therefore not compared:")
        for file, what in drift.left_out:
            self._say(f"  {file}: {what}")
        self._say("`embspace verify --update` makes baselines with the corpora of params.yaml")

    def _show_drifted(self, file: Path, facts: Sequence[Fact]) -> None:
        self._say(f"\n{file}: {len(facts)} drifted, the farthest first")
        for fact in facts[:N_SHOWN]:
            self._say(f"  {_sentence(fact)}")
        if len(facts) > N_SHOWN:
            self._say(f"  and {len(facts) - N_SHOWN} more")

    def _say(self, line: str) -> None:
        self._console.print(line, soft_wrap=True)


def _what_passed(drift: Drift) -> str:
    new = sum(file.verdict == "no baseline" for file in drift.files)
    if new == len(drift.files):
        return "but nothing was compared, since there is no baseline yet"
    other = sum(file.verdict == "not compared" for file in drift.files)
    without = f"; {new} files have no baseline" if new else ""
    joint = f"; {other} files were not compared, as the corpora differ" if other else ""
    return f"nothing is beyond tolerance{without}{joint}"


def _file_table(files: Sequence[FileReport]) -> Table:
    table = _table("result", "verdict", "origin", numbers=("facts", "worst"))
    origins = {True: "computed here", False: "from git", None: ""}
    for file in files:
        found = file.comparison
        numbers = (f"{found.n_facts:,}", _short(found.worst)) if found else ("", "")
        table.add_row(str(file.file), *numbers, file.verdict, origins[file.computed_here])
    return table


def _how_to_add(model: str) -> str:
    if " " in model and not model.startswith("corpus "):
        return "the note of the number says how"
    if model.startswith("corpus "):
        return "add it to `corpora` in params.yaml"
    if names := names_of(model):
        return f"add {' or '.join(names)} to `models` in params.yaml"
    return f"describe it in {MODELS}/ and add it to `models` in params.yaml"


def _published_table(checks: Sequence[Check]) -> Table:
    table = _table("quantity", "verdict", numbers=("published", "ours"))
    for check in checks:
        note = f" ({check.note})" if check.note else ""
        table.add_row(f"{check.quantity}{note}", check.published, check.ours, check.verdict)
    return table


def _ruling_table(rulings: Sequence[Ruling]) -> Table:
    table = _table("claim", "section", "model or run", "verdict by seed", numbers=())
    for ruling in rulings:
        verdicts = (f"{seed} {verdict}".strip() for seed, verdict in ruling.verdicts.items())
        by_seed = ", ".join(verdicts)
        words = by_seed or "not measured; `dvc repro` does it"
        table.add_row(ruling.claim, ruling.section, ruling.run, words)
    return table


def _table(first: str, *words: str, numbers: Sequence[str]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column(first, overflow="fold")
    for number in numbers:
        table.add_column(number, justify="right", overflow="fold")
    for word in words:
        table.add_column(word, overflow="fold")
    return table


def _short(worst: float) -> str:
    return "0" if worst == 0 else f"{worst:.2g}"


def _sentence(fact: Fact) -> str:
    place = ", ".join(fact.row)
    if not fact.allowed:
        what = f"row {place}" if fact.row else f"column or key {fact.column}"
        return f"{what} is {fact.found}"
    where = f"{place}: {fact.column}" if place else fact.column
    return f"{where}: baseline {fact.baseline}, found {fact.found}, allowed {fact.allowed}"
