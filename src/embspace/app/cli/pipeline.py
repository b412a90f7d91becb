"""Commands on the pipeline: check its settings, run it, verify its results, clear up."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from embspace.app.cli.shared.failures import clear_errors
from embspace.app.cli.shared.jobs import JobsOption, end_on_signals
from embspace.app.cli.shared.places import at_own_root
from embspace.errors import InputError, counted, visible


def check() -> None:
    """Read params.yaml and conf/ as the stages do, and report everything that does not fit.

    Looks also into the files of the models and corpora that params.yaml names: files of models must
    be the pinned ones, and texts and stimuli are read. Of other models and corpora in conf/, only
    the descriptions are read. No network is used.

    Exit code 0 if everything fits, 1 if not. Also reports the settings of a study that differ from
    those that come with embspace.
    """
    from embspace.app.check import check_settings
    from embspace.settings.study import differences

    with at_own_root():
        problems = check_settings()
        changed = differences(Path.cwd())
    for problem in problems:
        typer.echo(problem, err=True)
    if problems:
        raise typer.Exit(1)
    typer.echo(
        "params.yaml and conf/ fit, and the files of the models and corpora that params.yaml names"
    )
    if changed:
        typer.echo("other than what embspace brings along:")
        typer.echo("\n".join(f"  {line}" for line in changed))


def run(
    name: Annotated[
        str | None, typer.Argument(help="An analysis, a chapter, or a stage; without it, all.")
    ] = None,
    model: Annotated[
        str | None,
        typer.Option("--model", help="One that params.yaml names; without it, all of them."),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Compute it and all that it needs anew, known or not.")
    ] = False,
    jobs: JobsOption = None,
    protocol: Annotated[
        str | None,
        typer.Option("--protocol", help="Refuse any other text, setting, model or code."),
    ] = None,
) -> None:
    """Run the outdated stages of an analysis, such as `helix`, or of a chapter and its figures.

    A chapter is a folder of pipeline/. The stages of other chapters that it needs run first.
    Earlier results of the same settings come from DVC's cache. Independent stages run at once;
    after an interruption, the same command goes on. An analysis is drawn, and the command prints
    where its figure and tables are. With `--protocol` the tree must be as it was when the protocol
    was frozen; results/protocol.yaml then records this for the tables of the stages that ran, for
    `embspace verify --protocol`.
    """
    from embspace.app.run import run_stages

    end_on_signals()
    with at_own_root():
        from embspace.verify.protocol import check_protocol
        from embspace.verify.protocol_record import record

        state = check_protocol(protocol) if protocol else None
        stages = run_stages(name, model, jobs=jobs, force=force)
        if protocol and state:
            record(protocol, state, stages)


def verify(
    theirs: Annotated[
        Path | None,
        typer.Argument(help="With --protocol: tables of another study, a folder or one."),
    ] = None,
    update: Annotated[
        bool, typer.Option("--update", help="Make these results the baseline, and say what moves.")
    ] = False,
    computed: Annotated[
        bool, typer.Option("--computed", help="Fail if git brought a result, not a computation.")
    ] = False,
    results: Annotated[
        Path | None,
        typer.Option("--results", help="Folder of other results than the tree's.", metavar="DIR"),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Show also each file and number that agrees.")
    ] = False,
    streamed: Annotated[
        Path | None,
        typer.Option(
            "--streamed", help="Tables of `embspace corpus` instead: values alone.", metavar="DIR"
        ),
    ] = None,
    protocol: Annotated[
        str | None,
        typer.Option(
            "--protocol",
            help="Is this tree as frozen under the name? With a folder or table: does that agree? "
            "With --update: freeze this tree.",
        ),
    ] = None,
) -> None:
    """Compare the results with the stored baselines and with published numbers.

    Prints how many results agree, differ or were not compared, and how to compare the rest.

    Exit code 0 if all is within tolerance, 1 if a number has drifted, is new, or differs from a
    published number, 3 if no number differs but some results are not computed yet.
    """
    from embspace.verify.command import verify_results

    if protocol is not None:
        others = {"--computed": computed, "--results": results, "--streamed": streamed}
        _alone("--protocol", others | {"--all": everything})
        raise typer.Exit(_verify_protocol(protocol, theirs and theirs.absolute(), update=update))
    if theirs is not None:
        with clear_errors():
            raise InputError(f"{theirs}: goes with --protocol alone; --results takes a folder")
    if streamed is not None:
        _alone("--streamed", {"--update": update, "--computed": computed, "--results": results})
        raise typer.Exit(_verify_streamed(streamed.absolute()))
    folder = Path("results") if results is None else results.absolute()
    with at_own_root():
        outcome = verify_results(folder, update=update, computed=computed, everything=everything)
    raise typer.Exit(int(outcome))


def _alone(option: str, others: Mapping[str, Path | bool | None]) -> None:
    """Stop if an option is given together with one of `others`."""
    if any(others.values()):
        *names, last = others
        with clear_errors():
            raise InputError(f"{option}: goes with none of {', '.join(names)} and {last}")


def _verify_protocol(name: str, theirs: Path | None, *, update: bool) -> int:
    """Print whether a tree, or another study's tables, match a protocol; return the exit code."""
    with at_own_root():
        from embspace.verify.protocol import check_protocol, freeze
        from embspace.verify.protocol_tables import agree, compare_tables, lines_of

        if update and theirs is not None:
            raise InputError(f"--update: freezes this tree, goes without {theirs}")
        if update:
            typer.echo(visible(f"frozen: {freeze(name)}"))
            return 0
        if theirs is None:
            check_protocol(name)
            typer.echo(f"this tree is as frozen under {name}")
            return 0
        verdicts = compare_tables(name, theirs)
    for line in lines_of(verdicts):
        typer.echo(visible(line))
    return 0 if agree(verdicts) else 1


def _verify_streamed(folder: Path) -> int:
    """Print how tables of `embspace corpus` agree with baselines; the exit code."""
    from embspace.verify.rules import read_tolerances
    from embspace.verify.streamed import compare_streamed, lines_of

    with at_own_root():
        tables = compare_streamed(folder, read_tolerances())
    for line in lines_of(tables):
        typer.echo(visible(line))
    return 1 if any(table.failed for table in tables) else 0


def prune(
    yes: Annotated[bool, typer.Option("--yes", help="Remove them; without it, list them.")] = False,
) -> None:
    """List, or with --yes remove, what models, pairs and corpora left that params.yaml dropped.

    These files are pins, prepared texts, hidden states, measures and maps in data/, tables in
    results/, and figures in figures/. Descriptions in conf/, your own texts and baselines stay.
    Files in git stay, too, as do files that no stage of the graph can have made, which are listed.
    """
    from embspace.app.prune import find_leftovers, in_git, remove
    from embspace.settings.params import read_params

    with at_own_root():
        leftovers, others = find_leftovers(read_params())
        committed = in_git(leftovers)
        files = [file for file in leftovers if file not in committed]
        if yes:
            remove(files)
    for file in others:
        typer.echo(visible(f"{file}: not made by a stage, left alone"))
    for file in files:
        typer.echo(visible(str(file)))
    if committed:
        typer.echo(
            f"{counted(len(committed), 'file')} in git of what params.yaml does not name, left "
            "alone: prune removes none that git has"
        )
    hint = "; remove with --yes" if files else ""
    typer.echo(f"{counted(len(files), 'file')} {'removed' if yes else f'left over{hint}'}")
