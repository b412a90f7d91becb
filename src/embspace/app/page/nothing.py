"""Tells which analyses of a page have nothing to show, and why."""

import re
from collections.abc import Collection, Iterator
from pathlib import Path

from embspace.app.page.texts_read import READERS, UnknownShare, by_bound, not_read
from embspace.app.reporting.about import corpora_by_file
from embspace.files.scalars import load_scalars
from embspace.settings.params import PARAMS
from embspace.settings.pipeline import read_stages
from embspace.settings.schema import read_yaml
from embspace.settings.stage import settings_path

# Titles of figures that say that nothing was, or could be, seen.
SAYS_NOTHING = re.compile(
    r"^(No|None|Neither|Texts neither draw together|Too few|There (is|are) no"
    r"|The model reads no|The texts of one corpus"
    r"|By mean pooling no|Undecided if|The mean cosine of two"
    r"|The median cosine of a token with|The median token embedding has norm [\d.]+$)\b"
    r"|\b(cannot be (compared|matched|held|taken)|is undefined in|was not measured|were not read"
    r"|is not known here|not checkable|has no (learned )?(positions?|tokens)|says little"
    r"|not clearly otherwise"
    r"|no more alike than by chance|in no category more parallel than by chance"
    r"|no more than (in shuffled order|one that encodes nothing|by chance|with random weights"
    r"|in paths turned at random)"
    r"|farther from another than its halves|At the last layer no [\w ]+, beyond chance"
    r"|not told apart beyond random weights|off no layer better than with random weights"
    r"|not surely more alike than random pairs.*does not tell them"
    r"|no clear difference|No layer surely|does not surely differ between layers"
    r"|converged in \d+ of \d+ layers only|no better than chance does"
    r"|All heads attend alike|no more parallel than at random weights|cannot be told"
    r"|(is|are) too few to decide|does not tell positions from tokens)\b",
)
# Titles of figures that any model has, for chance or random weights give the same, or that hang on
# the number of texts.
LIKE_CHANCE = re.compile(
    r"no better than (by )?chance(, at a reciprocal rank of [\d.]+)?(; no layer surely .*)?$"
    r"|are (as )?alike at every layer|keep vectors of MLPs alike|^Neighbors hardly change"
    r"|^Tokens have .*within reach of the nulls$"
    r"|, as much in random walks$|no stronger than those of a Gaussian"
    r"|of isotropic vectors in as many|has length zero.*, as by chance$"
    r"|\bas many as by chance( [\d,]+)?$|embeddings are as long as position embeddings(: [^;]*)?$"
    r"|\b0 % of that of learned ones|are as symmetric as random ones|as with random weights:"
    r"|as alike at the last layer as at random weights"
    r"|, as of isotropic vectors$|\bnot converged\b|^Of the tokens [\d.]+ % are other tokens"
)
TOO_FEW = "Too few"  # so begins the title of a figure without a panel, though tables have rows
STIMULI = re.compile(r"data/extracted/stimuli/\$\{item\.model\}/(\w+)\.")
SETTING = re.compile(r"\$\{(\w+)\}")
LISTS = "data/stimuli/"
STATES = "data/extracted/hidden_states/${item.model}"


def says_nothing(title: str) -> bool:
    """Return whether the title of a figure is no finding."""
    return not title or bool(SAYS_NOTHING.search(title) or LIKE_CHANCE.search(title))


def has_rows(file: Path) -> bool:
    """Return False for a table with only a header, as an analysis writes if it does not apply."""
    with file.open(encoding="utf-8") as lines:
        return file.suffix != ".csv" or any(number for number, _ in enumerate(lines))


def is_empty(folder: Path, noun: str, model: str) -> bool:
    """Return whether no table of a figure has a row, or parts of the model are unknown."""
    there = [file for file in _results(folder, noun, model) if file.is_file()]
    scalars = [load_scalars(str(file)) for file in there if file.suffix == ".json"]
    if any(content.get("known") is False for content in scalars):
        return True
    tables = [file for file in there if file.suffix == ".csv"]
    return bool(tables) and not any(map(has_rows, tables))


def why_unread(folder: Path, model: str, noun: str, shares: Collection[UnknownShare]) -> str:
    """Return why texts of an analysis are not read: the tokenizer does not know them; else "".

    Corpora, stimuli or a file are no reason if some of their texts are read.
    """
    read = _read(folder, model, noun, shares)
    kinds_read = {share.kind for share in read if share.is_read}
    lacking = [share for share in read if share.kind not in kinds_read]
    return "; ".join(map(not_read, by_bound(lacking)))


def sources_of(noun: str, model: str) -> set[str]:
    """Return the nouns of the results from which a figure is drawn."""
    files = _results(Path(), noun, model)
    return {noun, *(file.parts[1] for file in files if file.parts[0] == "results")}


def reads_nothing(folder: Path, model: str, noun: str, shares: Collection[UnknownShare]) -> bool:
    """Return whether an analysis reads texts, and the tokenizer knows none of them.

    Its tables then say nothing of the model, as in text_classification, where words alone remain.
    """
    read = _read(folder, model, noun, shares)
    return bool(read) and not any(share.is_read for share in read)


def _read(
    folder: Path, model: str, noun: str, shares: Collection[UnknownShare]
) -> list[UnknownShare]:
    """Return the shares of unknown tokens for all texts that an analysis reads."""
    if all(share.is_read for share in shares):
        return []
    sources = sources_of(noun, model)
    places = {place for source in sources for place in _places(folder, source, shares)}
    return [share for share in shares if (share.kind, share.key) in places]


def _results(folder: Path, noun: str, model: str) -> list[Path]:
    """Return the files from which a figure is drawn."""
    from embspace.app.paper import known_figures
    from embspace.draw.page.saving import result_path

    results = known_figures()[noun][1].results
    return [folder / result_path(noun, model, result) for result in results]


def stimuli_read(folder: Path, noun: str, model: str) -> tuple[list[str], bool]:
    """Return the files of words and sentences for an analysis, and whether corpora are read."""
    given = read_yaml(folder / "conf/prepare/stimuli.yaml")
    sources = sorted(sources_of(noun, model))
    inputs = [
        _as_in_settings(folder, source, path)
        for source in sources
        for path in _inputs(folder, source)
    ]
    keys = [name[1] for path in inputs if (name := STIMULI.match(path))]
    files = [given[key] for key in keys]
    paths = [file if isinstance(file, str) else file.get("path", file["source"]) for file in files]
    lists = [path for path in inputs if path.startswith(LISTS)]
    corpora = read_yaml(folder / PARAMS)["corpora"]
    reads_corpora = not {*corpora_by_file(folder, corpora)}.isdisjoint(inputs)
    reads_only_corpus = len(corpora) == 1 and reads_corpora
    return [*dict.fromkeys([*paths, *lists])], STATES in inputs or reads_only_corpus


def _as_in_settings(folder: Path, noun: str, path: str) -> str:
    """Return an input of an analysis; a file named in settings by this name."""
    key = SETTING.fullmatch(path)
    return str(read_yaml(settings_path("measure", noun, folder))[key[1]]) if key else path


def _inputs(folder: Path, noun: str) -> Iterator[str]:
    """Yield what the stages that measure an analysis depend on."""
    for stage in read_stages(folder).values():
        if noun in stage.nouns() and stage.name.startswith("measure_"):
            yield from map(str, stage.entry.get("deps", ()))


def _places(folder: Path, noun: str, shares: Collection[UnknownShare]) -> Iterator[tuple[str, str]]:
    """Yield kind and key of all texts that an analysis reads."""
    if noun in READERS:
        file = settings_path("measure", noun, folder)
        yield "file", str(read_yaml(file)["texts"])
    inputs = [*_inputs(folder, noun)]
    yield from (("stimuli", name[1]) for path in inputs if (name := STIMULI.match(path)))
    if STATES in inputs:
        yield from (("corpus", share.key) for share in shares if share.kind == "corpus")
