"""The command on two corpora, or two versions of a model: drift."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from embspace.app.cli.practice.options import (
    ModelOption,
    ResultsOption,
    UsualPoolingOption,
    VectorsOption,
    show,
)
from embspace.app.cli.shared.failures import clear_errors
from embspace.app.cli.shared.options import LayerOption
from embspace.app.cli.shared.reading import (
    DocumentColumnOption,
    IdColumnOption,
    SeparatorOption,
    SkipEmptyOption,
    TextColumnOption,
    reading_of,
)
from embspace.errors import InputError, visible


def drift(
    first: Annotated[
        str | None, typer.Argument(help="Texts or vectors; none with --against.", metavar="A")
    ] = None,
    second: Annotated[
        str | None, typer.Argument(help="Texts or vectors to compare.", metavar="B")
    ] = None,
    model: ModelOption = None,
    other_model: Annotated[
        str | None, typer.Option("--other-model", help="A second version, on the texts A.")
    ] = None,
    other_vectors: Annotated[
        str | None,
        typer.Option("--other-vectors", help="A second version: vectors of A, or those of B."),
    ] = None,
    number_type: Annotated[
        str | None,
        typer.Option("--number-type", help="A second version: weights in float16 or bfloat16."),
    ] = None,
    save: Annotated[
        Path | None, typer.Option("--save", help="Write texts of A with vectors, a canary.")
    ] = None,
    against: Annotated[
        Path | None, typer.Option("--against", help="Check a canary; exit code 1 beyond --bound.")
    ] = None,
    bound: Annotated[
        float, typer.Option("--bound", help="Of |new - old| / |old| of a vector.", min=0)
    ] = 1e-4,
    layer: LayerOption = -1,
    pooling: UsualPoolingOption = None,
    vectors: VectorsOption = None,
    results: ResultsOption = None,
    text_column: TextColumnOption = None,
    id_column: IdColumnOption = None,
    document_column: DocumentColumnOption = None,
    separator: SeparatorOption = None,
    skip_empty: SkipEmptyOption = False,
) -> None:
    """Say whether two corpora differ by one model, or two versions of a model on the same texts.

    Two corpora: a test over documents, and where they differ: texts, clusters, directions, words.
    Two versions: vectors, neighbors and search, beside the noise of rounding.
    `embspace drift old.csv new.csv`, `embspace drift my.csv --number-type bfloat16`,
    `embspace drift my.csv --save canary.json`, `embspace drift --against canary.json`
    """
    unused = {
        "--vectors": vectors,
        "--other-model": other_model,
        "--other-vectors": other_vectors,
        "--number-type": number_type,
    }
    with clear_errors():
        if against is not None:
            _check_alone(first, second, save)
            _check_unused("--against", layer, pooling, unused)
            return _check(against, model, bound, results)
        if first is None:
            raise InputError("A: found nothing, allowed: texts or vectors, or --against FILE")
        reading = reading_of(
            *(text_column, id_column, None, document_column),
            separator=separator,
            skip_empty=skip_empty,
        )
        given: dict[str, Any] = {"layer": layer, "pooling": pooling, "reading": reading}
        if save is not None:
            _check_unused("--save", -1, None, unused | {"B": second, "--results": results})
            from embspace.app.practice.canary import save_canary

            typer.echo(visible(save_canary(first, save, model, **given)))
            return None
        given |= {"vectors": vectors, "other_vectors": other_vectors}
        if second is not None:
            if other_model or number_type:
                raise InputError("B: found beside a second version, allowed: one of them")
            from embspace.app.practice.drift import drift as drift_of

            show(drift_of(first, second, model, **given), results)
            return None
        from embspace.app.practice.versions import versions

        answer = versions(first, model, other_model=other_model, number_type=number_type, **given)
        show(answer, results)
    return None


def _check_alone(first: str | None, second: str | None, save: Path | None) -> None:
    if first is not None or second is not None or save is not None:
        raise InputError("--against: found beside texts or --save, allowed: alone")


def _check_unused(
    option: str, layer: int, pooling: str | None, unused: Mapping[str, object]
) -> None:
    """Stop if options are given that another given option makes no use of."""
    given = {"--layer": None if layer == -1 else layer, "--pooling": pooling, **unused}
    names = ", ".join(name for name, value in given.items() if value is not None)
    if names:
        raise InputError(f"{option}: found beside {names}, allowed: without")


def _check(against: Path, model: str | None, bound: float, results: Path | None) -> None:
    from embspace.app.practice.canary import check_canary

    answer = check_canary(against, model, bound=bound)
    show(answer, results)
    if len(answer.tables["moved"]):
        raise typer.Exit(1)
