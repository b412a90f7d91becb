"""The outcome as text in a terminal: legible at 100 columns and without color."""

import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table

from embspace.errors import counted
from embspace.published.numbers import Check, SourceReport
from embspace.published.runs import Ruling, RunReport
from embspace.published.subjects import MODELS, names_of
from embspace.verify.compare import Fact
from embspace.verify.drift import Drift, FileReport
from embspace.verify.failures import Outcome, outcome_of

WIDTH = 100  # where there is no terminal to ask
N_SHOWN = 10  # drifted facts a file
N_SUBJECTS = 3  # of published numbers that are not compared; of more only their number is told
FAILED = ("DRIFTED", "MISSING", "EXTRA")
UNCOMPARED = ("no baseline", "not compared")


class Report:
    """Writes to standard output: first the summary, then the differences, or everything."""

    def __init__(self, *, everything: bool) -> None:
        """Show results that agree, too, if `everything` is set."""
        width = None if sys.stdout.isatty() else WIDTH
        # No markup: the token [CLS] is a word here, not a style.
        self._console = Console(width=width, markup=False, highlight=False, emoji=False)
        self._everything = everything

    def show_counts(
        self, drift: Drift, sources: Sequence[SourceReport], reports: Sequence[RunReport]
    ) -> None:
        """Print how many files and published numbers agree, and what was not compared, and why."""
        compared = [file for file in drift.files if file.verdict not in UNCOMPARED]
        agree = sum(file.verdict == "agrees" for file in compared)
        self._say(f"files that agree with their baselines: {agree:,} of {len(compared):,}")
        checks = [check for source in sources for check in source.checks]
        agree = sum(check.verdict == "agrees" for check in checks)
        self._say(f"published numbers that ours agree with: {agree:,} of {len(checks):,}")
        if n := sum(len(report.rulings) for report in reports):
            self._say(f"{counted(n, 'verdict')} on published claims: `embspace verify --all`")
        lines = [*_uncompared_files(drift), *self._uncompared_numbers(sources, reports)]
        if lines:
            self._say("not compared:")
        for line in lines:
            self._say(f"  {line}")

    def _uncompared_numbers(
        self, sources: Sequence[SourceReport], reports: Sequence[RunReport]
    ) -> list[str]:
        """Return a line on every missing subject of published numbers, or on all together."""
        numbers, claims = Counter[str](), Counter[str]()
        for source in sources:
            numbers.update(source.not_measured)
        for report in reports:
            claims.update(report.waiting)
        if not self._everything and len({*numbers, *claims}) > N_SUBJECTS:
            counts = [
                counted(counter.total(), what)
                for what, counter in (("published number", numbers), ("claim", claims))
                if counter
            ]
            lines = [
                f"{' and '.join(counts)} on {len({*numbers, *claims})} models, corpora and stimuli "
                "that params.yaml does not name: `embspace verify --all` lists them"
            ]
        else:
            lines = [*_uncompared(numbers, claims)]
        if n := sum(report.n_claims for report in reports if not report.rulings):
            lines.append(
                f"{counted(n, 'claim')} on layers and training: `make all` measures what they need"
            )
        return lines

    def show_drift(self, drift: Drift) -> None:
        """Print a row per result, then the drifted facts."""
        shown = [file for file in drift.files if self._everything or file.verdict in FAILED]
        if shown:
            self._console.print(_file_table(shown))
            self._say(
                "compared: the numbers and words of a file that were held against its baseline"
            )
            self._say("farthest: the largest deviation among them; 1 is all that is allowed")
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
        """Print a row per number."""
        for source in sources:
            shown = [
                check for check in source.checks if self._everything or check.verdict != "agrees"
            ]
            if shown:
                self._say(f"\nPublished: {source.source}")
                self._console.print(_published_table(shown))

    def show_rulings(self, reports: Sequence[RunReport]) -> None:
        """Print a row per claim on training and run. A differing claim is a finding, no failure."""
        for report in reports:
            if self._everything and report.rulings:
                self._say(f"\nClaims on layers and training: {report.source}")
                self._console.print(_ruling_table(report.rulings))
                for item in report.undecided:
                    said = f"{item.verdict}; {item.reason}"
                    self._say(f"  {item.quantity}, {item.published}: {said}")

    def show_update(self, n_written: int, n_removed: int, provenance: Path) -> None:
        """Print the changes of an update."""
        self._say(f"\nbaselines: {n_written} written, {n_removed} removed; see also {provenance}")

    def show_summary(self, drift: Drift, failures: Mapping[str, int]) -> None:
        """Print the origin of the results, and the line that decides."""
        here = sum(file.computed_here is True for file in drift.files)
        git = sum(file.computed_here is False for file in drift.files)
        advice = "; `embspace run --force` computes all of them here" if git else ""
        self._say(f"\n{counted(here, 'file')} computed in this tree, {git:,} from git{advice}")
        counts = ", ".join(f"{what}: {n:,}" for what, n in failures.items() if n)
        lacking = outcome_of(failures) is Outcome.NOT_COMPUTED
        failed = "NOT COMPUTED YET, and nothing drifted" if lacking else "FAILED"
        self._say(f"{failed}: {counts}" if counts else f"passed: {_what_passed(drift)}")

    def show_other_bytes(self, changed: Sequence[str]) -> None:
        """Print the number of files with different bytes here, and why this is no fault."""
        self._say(
            f"{counted(len(changed), 'file')} in results/ and figures/ differ from git's in last "
            "digits or pixels: another processor rounds in another way (results/provenance.json "
            "names git's). Every number is within tolerance. `git diff --stat` lists them"
        )

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
    without = f"; without a baseline: {counted(new, 'file')}" if new else ""
    joint = f"; as the corpora differ, not compared: {counted(other, 'file')}" if other else ""
    return f"nothing is beyond tolerance{without}{joint}"


def _file_table(files: Sequence[FileReport]) -> Table:
    table = _table("result", "verdict", "origin", numbers=("compared", "farthest"))
    origins = {True: "computed here", False: "from git", None: ""}
    for file in files:
        comparison = file.comparison
        numbers = (f"{comparison.n_facts:,}", _short(comparison.worst)) if comparison else ("", "")
        table.add_row(str(file.file), *numbers, file.verdict, origins[file.computed_here])
    return table


def _uncompared_files(drift: Drift) -> Iterator[str]:
    """Yield a line on each kind of file that has no baseline, or was not compared."""
    new = sum(file.verdict == "no baseline" for file in drift.files)
    other = sum(file.verdict == "not compared" for file in drift.files)
    if new:
        yield f"{counted(new, 'file')}: no baseline yet; `embspace verify --update` makes one"
    if other:
        yield f"{counted(other, 'file')}: all corpora enter, and they are others; see below"


def _uncompared(numbers: Mapping[str, int], claims: Mapping[str, int]) -> Iterator[str]:
    """Yield a line on the numbers about a model or corpus missing in params.yaml."""
    for about, n in numbers.items():
        yield f"{counted(n, 'published number')} on {about}: {_how_to_add(about, '`models`')}"
    for about, n in claims.items():
        advice = _how_to_add(about, "`models` and `profiled`")
        yield f"{counted(n, 'claim')} on layers of {about}: {advice}"


def _how_to_add(about: str, lists: str) -> str:
    """Return advice on how to have the subject of published numbers measured."""
    if about.startswith("corpus "):
        return "add it to `corpora` in params.yaml"
    if " " in about:  # other stimuli
        return "conf/prepare/stimuli.yaml says how to take them"
    if names := names_of(about):
        name = names[0]
        return f"`embspace fetch {name}`, then add {name} to {lists} in params.yaml"
    return f"describe it in {MODELS}/ and add it to {lists} in params.yaml"


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
        return f"{what} is {fact.result}"
    where = f"{place}: {fact.column}" if place else fact.column
    return f"{where}: baseline {fact.baseline}, found {fact.result}, allowed {fact.allowed}"
