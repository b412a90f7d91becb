"""Finds what `embspace corpus` reads: a corpus of conf/ or files of texts, and a model."""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from embspace.app.describe.find import Say
from embspace.errors import InputError
from embspace.files.atomic import writing
from embspace.settings.corpus import FileCorpus, describe_corpus
from embspace.settings.model import VectorsModel, describe_model, model_file
from embspace.settings.params import read_params
from embspace.settings.schema import read_yaml
from embspace.settings.stage import settings_path
from embspace.stream.cluster import Cluster
from embspace.stream.plan import Reading, plan_shards
from embspace.stream.run import Request, measure_corpus, weights_version
from embspace.stream.sources import Source, check_place, find_sources
from embspace.stream.tables import Intervals

STREAMED = Path("data/streamed")
HIDDEN_STATES = Path("conf/extract/hidden_states.yaml")
PLACE = "place.txt"  # what the tables beside it are of
SPACES = ("token", "cls", "mean")
TOKENS_PER_CHUNK = 16384  # whose states of all layers are in memory at once, at least


@dataclass(frozen=True)
class Options:
    """The options of the command line."""

    model: str
    text_column: str
    id_column: str | None
    texts_per_shard: int | None
    spaces: tuple[str, ...] | None
    number_type: str
    sample: int
    results: Path | None
    shards: Path | None
    separator: str | None = None
    check: bool = False


def stream_corpus(place: str, options: Options, cluster: Cluster, say: Say) -> Path:
    """Measure a corpus shard by shard, and return the folder of its tables.

    To be called at the root of a tree. `place` is a name in conf/corpus/, else a file, a folder or
    an address.

    Raises:
        InputError: naming what does not fit.
    """
    if unknown := [space for space in options.spaces or () if space not in SPACES]:
        raise InputError(f"--spaces: found '{unknown[0]}', allowed: {', '.join(SPACES)}")
    if options.number_type not in ("float32", "bfloat16"):
        raise InputError(
            f"--number-type: found '{options.number_type}', allowed: float32, bfloat16"
        )
    name, sources = _sources(place, options, say)
    folder = STREAMED / name
    reading = _reading(options, sources, _spaces(place))
    request = Request(
        corpus=name,
        sources=sources,
        reading=reading,
        intervals=_intervals(),
        texts_per_shard=options.texts_per_shard,
        results=(options.results or folder / "results"),
        shards=(options.shards or folder / "shards") / options.model,
        root=Path.cwd(),
        copy_similarity=FileCorpus.model_fields["copy_similarity"].default,
        largest_unknown_share=read_yaml(HIDDEN_STATES)["largest_unknown_share"],
        check=options.check,
    )
    if options.results is None:
        _take(folder, _plain(place))  # before anything is measured: two may run at once
    return measure_corpus(request, cluster, say)


def _take(folder: Path, place: str) -> None:
    """Record the owner of the tables in a folder; stop if a different place owns the folder.

    Raises:
        InputError: naming both places.
    """
    kept = folder / PLACE
    before = kept.read_text(encoding="utf-8") if kept.is_file() else place
    if before != place:
        raise InputError(
            f"{folder}: is for the tables of {before}, not of {place}; give these a folder by "
            f"--results, or remove {folder}"
        )
    with writing(kept) as partial:
        partial.write_text(place, encoding="utf-8")


def _plain(place: str) -> str:
    """Return a place in one spelling; a place in the tree is relative to the tree's root."""
    if Path(f"conf/corpus/{place}.yaml").is_file() or "://" in place:
        return place.rstrip("/")
    path, root = Path(place).resolve(), Path.cwd().resolve()
    return str(path.relative_to(root) if path.is_relative_to(root) else path)


def _sources(place: str, options: Options, say: Say) -> tuple[str, list[Source]]:
    """Return the name and the files of a corpus."""
    described = Path(f"conf/corpus/{place}.yaml")
    if described.is_file():
        return place, [_prepared(place, described, say)]
    check_place(place)
    sources = find_sources(place, options.text_column, options.id_column, say, options.separator)
    return _name(place), sources


def _spaces(place: str) -> tuple[str, ...]:
    """Return all spaces, but no tokens for a corpus of conf/ that keeps no token states."""
    described = Path(f"conf/corpus/{place}.yaml")
    if described.is_file() and not describe_corpus(place, read_yaml(described)).token_states:
        return ("cls", "mean")
    return SPACES


def _name(place: str) -> str:
    """Return the last part of a place, to name a folder."""
    parts = [part for part in place.rstrip("/").split("/") if part and "*" not in part]
    plain = "".join(
        character if character.isalnum() or character in "._" else "_" for character in parts[-1]
    )
    return plain.split(".", 1)[0] or "corpus"


def _prepared(name: str, described: Path, say: Say) -> Source:
    """Write the texts of a corpus of conf/ where all workers can read them; a hash is the name."""
    from embspace.prepare.texts import copies_told, prepare_texts

    table = prepare_texts(name, describe_corpus(name, read_yaml(described)))
    if message := copies_told(table):
        say(message)
    # Those of a document lie together, also where copies have made one of several.
    place = table.groupby("document", sort=False).ngroup()
    content = table[["id", "document", "text"]].iloc[place.argsort(kind="stable")]
    digest = hashlib.sha256(content.to_csv(index=False).encode()).hexdigest()[:16]
    path = STREAMED / name / f"texts-{digest}.parquet"
    if not path.is_file():
        with writing(path) as partial:
            content.to_parquet(partial, index=False, row_group_size=10_000)
    return Source(str(path.absolute()), "text", "id", digest, whole_documents=True)


def _reading(options: Options, sources: list[Source], spaces: tuple[str, ...]) -> Reading:
    from embspace.models.locate import locate_files
    from embspace.models.tokenizer import tokenizer_files

    described = Path(model_file(options.model))
    content = read_yaml(described)
    model = describe_model(options.model, content)
    source = tokenizer_files(model)
    if isinstance(model, VectorsModel) or source is None:
        raise InputError(f"{described}: has no tokenizer, and reads no text")
    files = list(locate_files(options.model, source).iterdir())
    settings = read_yaml(HIDDEN_STATES)
    reading = Reading(
        model_name=options.model,
        model=content,
        weights=weights_version([path for path in files if path.is_file()]),
        spaces=options.spaces or spaces,
        window_length=settings["window_length"],
        overlap=settings["overlap"],
        tokens_per_batch=settings["tokens_per_batch"],
        tokens_per_chunk=TOKENS_PER_CHUNK,
        batch_size=_neighbors()["batch_size"],
        number_type=options.number_type,
        sample_rate=1.0,
        device=read_params().device,
    )
    return _with_sample(reading, sources, options)


def _with_sample(reading: Reading, sources: list[Source], options: Options) -> Reading:
    """Return the reading with the share of texts that gives a sample of the size in `options`."""
    from dataclasses import replace

    total = sum(shard.n for shard in plan_shards(sources, reading, options.texts_per_shard))
    return replace(reading, sample_rate=min(1.0, options.sample / total))


def _intervals() -> Intervals:
    """Return the protocol of the stage that measures small corpora."""
    settings = _neighbors()
    draws = settings["draws"]
    return Intervals(
        n_half_samples=draws["n_half_samples"],
        level=draws["level"],
        tolerance=draws["tolerance"],
        seed=read_params().seed,
        batch_size=settings["batch_size"],
    )


def _neighbors() -> dict[str, Any]:
    return read_yaml(settings_path("measure", "intrinsic_dimension"))
