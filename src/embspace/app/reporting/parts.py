"""Chooses the analyses of a report, in the order of use, and the options that add others."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from embspace.settings.params import CONF
from embspace.settings.pipeline import fill_item, read_stages
from embspace.settings.schema import read_yaml

ALL, NO_MAPS, STIMULI = "all", "no-maps", "stimuli"
OPTIONS = ("layers", "attention", "parameters", STIMULI, ALL, NO_MAPS)
# Which part each analysis belongs to is said by its chapter, but for these.
CHEAP_LAYERS = ("profile", "direction", "spectrum", "context", "intrinsic_dimension", "hubs")
MAPS = ("pca", "tsne", "umap", "projections", "text_maps", "layer_maps")
# Minutes for a model of base size, of embspace's own texts, or of all that stands here. PCA of a
# vocabulary takes as long as t-SNE and UMAP together, and keeps the fewest neighbors.
OF_TOKENS = ("token_tracker", "token_paths")
COSTLY = ("pca", "projections", "probing", *OF_TOKENS, "tasks", "text_classification", "ledger")
# These read sentences, lists of words and reviews that came with the study, and no other texts.
OF_STIMULI = (
    *("probing", "evolution", "evolution_steps", "evolution_shared", "homonyms", *OF_TOKENS),
    *("synonyms", "differences", "difference_consistency", "sentence_meaning", "oppositeness"),
    *("tasks", "text_classification", "associations"),
)
OF_ALL = "ledger"
# The rank in the order of use, and the option that asks for it; "" of what every report has.
FIRST, LAST_BUT_ALL, LAST = 0, 8, 9
BY_CHAPTER = {
    "texts": (1, ""),
    "label_overlap": (1, ""),
    "practice": (1, ""),
    "layer_choice": (1, ""),
    "word_uses": (3, "layers"),  # reads all texts once more, at random weights
    "learned": (2, ""),
    "positional": (2, ""),
    "words": (3, ""),
    "sentences": (3, ""),
    "layers": (4, "layers"),
    "attention": (5, "attention"),
    "blocks": (5, "attention"),
    "parameters": (6, "parameters"),
    "open_questions": (LAST_BUT_ALL, ALL),
    "ledger": (LAST, ALL),
}
MAPS_RANK = 7
# Settings of a report on other texts than the study's, by their file and by the option with which
# they are as in conf/: fewer layers and draws, and vectors as they are alone.
FEWER_DRAWS = {"n_half_samples": 10, "n_null_draws": 2, "shares": [0.5], "n_share_draws": 2}
QUICKER: dict[str, dict[str, dict[str, Any]]] = {
    **{
        f"measure/layers/{noun}.yaml": {
            ALL: {"changes": ["as_is"], "draws": FEWER_DRAWS},
            "layers": {"most_layers": 7},
        }
        for noun in ("direction", "spectrum", "context", "intrinsic_dimension")
    },
    "measure/layers/random_weights.yaml": {ALL: {"n_seeds": 1}, "layers": {"read_corpora": []}},
}


class Analysis(NamedTuple):
    """An analysis of a report."""

    noun: str
    chapter: str
    """The folder of the analysis's drawings."""
    rank: int
    """The turn of the computation, from 0; analyses of the same rank run side by side."""
    option: str
    """The option for the analysis; "" for an analysis of every report."""

    @property
    def is_map(self) -> bool:
        """Return whether the analysis is a map, or needs all maps."""
        return self.noun in (*MAPS, OF_ALL)


def analyses() -> list[Analysis]:
    """Return all possible analyses of a report, in the order of the page."""
    from embspace.app.page.nouns import nouns_of_page

    return [_placed(noun, chapter) for noun, chapter in nouns_of_page().items()]


def _placed(noun: str, chapter: str) -> Analysis:
    rank, option = BY_CHAPTER[chapter]
    if noun in CHEAP_LAYERS:
        rank, option = FIRST, ""
    if noun in MAPS:
        rank = MAPS_RANK
    if noun in COSTLY and noun != OF_ALL:
        rank, option = LAST_BUT_ALL, ALL
    return Analysis(noun, chapter, rank, option)


def is_chosen(
    analysis: Analysis, options: Collection[str], *, is_study: bool, is_english: bool = True
) -> bool:
    """Return whether a report has an analysis.

    If its model and texts are those of a study, a report has all analyses that `embspace run`
    computes for every model, and with `layers` or `all` also all of a profiled model. Other
    reports, if model and texts are not in English, have analyses of stimuli only by the option
    `stimuli`.
    """
    if analysis.is_map and NO_MAPS in options:
        return False
    if is_study:
        from embspace.app.page.nouns import drawn_nouns

        if analysis.noun in drawn_nouns() or not {"layers", ALL}.isdisjoint(options):
            return True
        return analysis.option in options
    if not (is_english or _reads_stimuli(analysis, options)):
        return False
    return analysis.option == "" or ALL in options or analysis.option in options


def _reads_stimuli(analysis: Analysis, options: Collection[str]) -> bool:
    return analysis.noun not in OF_STIMULI or STIMULI in options


def left_out(
    options: Collection[str], *, is_study: bool, is_english: bool = True
) -> dict[str, list[str]]:
    """Return the analyses missing in the report, by the options for adding the analyses."""
    lacking: dict[str, list[str]] = {}
    for analysis in analyses():
        if not is_chosen(analysis, options, is_study=is_study, is_english=is_english):
            way = _way(analysis, options, is_study=is_study, is_english=is_english)
            lacking.setdefault(way, []).append(analysis.noun)
    return lacking


def _way(analysis: Analysis, options: Collection[str], *, is_study: bool, is_english: bool) -> str:
    """Return the options for adding a missing analysis to a report."""
    if analysis.is_map and NO_MAPS in options:
        return f"without --{NO_MAPS}"
    if is_study:
        return "--layers"
    needed = [] if is_english or _reads_stimuli(analysis, options) else [STIMULI]
    if analysis.option and {analysis.option, ALL}.isdisjoint(options):
        needed.insert(0, analysis.option)
    return " ".join(f"--{option}" for option in needed or ["layers"])


def makers(root: Path, model: str, wanted: Collection[Analysis]) -> dict[Analysis, list[str]]:
    """Return the addresses of the stages that make the results, by analysis.

    The stages are those of a model, or of a pair in its place. An analysis whose results no stage
    of the tree makes is left out.
    """
    from embspace.app.paper import known_figures
    from embspace.draw.page.saving import result_path

    names = {"model": model, "pair": model}
    made = {
        fill_item(path, names): part.address(model if part.entry.get("matrix") else "")
        for part in read_stages(root).values()
        if not part.name.startswith("draw_")
        for path in part.outputs()
    }
    drawings = known_figures()
    addresses = dict[Analysis, list[str]]()
    for analysis in wanted:
        results = drawings[analysis.noun][1].results
        paths = [result_path(analysis.noun, model, result) for result in results]
        stage_addresses = [made.get(path) for path in paths if not path.startswith(f"{CONF}/")]
        known = [address for address in stage_addresses if address]
        if len(known) == len(stage_addresses):
            addresses[analysis] = list(dict.fromkeys(known))
    return addresses


def item_of(address: str) -> str:
    """Return the name of a stage's item, as in steps, from the address."""
    return address.rpartition(":")[2]


def quicker_settings(root: Path, options: Collection[str], *, is_study: bool) -> dict[str, Any]:
    """Return the complete settings of the files of conf/ that a report changes."""
    if is_study or ALL in options:
        return {}
    changed = {
        file: {
            key: value
            for option, changes in by_option.items()
            if option not in options
            for key, value in changes.items()
        }
        for file, by_option in QUICKER.items()
    }
    return {
        file: _with(read_yaml(root / CONF / file), changes)
        for file, changes in changed.items()
        if (root / CONF / file).is_file()
    }


def _with(settings: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings with some changed; of a setting that has keys of its own, only some keys."""
    return dict(settings) | {
        key: {**settings[key], **value} if isinstance(value, dict) else value
        for key, value in changes.items()
    }


def ranks_of(stages: Mapping[Analysis, Sequence[str]]) -> dict[str, int]:
    """Return for each stage the smallest rank of the analyses that need it, by its item's name."""
    ranks = dict[str, int]()
    for analysis, addresses in stages.items():
        for name in map(item_of, addresses):
            ranks[name] = min(analysis.rank, ranks.get(name, analysis.rank))
    return ranks


def ways_of(stages: Mapping[Analysis, Sequence[str]]) -> dict[str, str]:
    """Return the way to leave out each stage that can be left out, by its item's name.

    A stage can be left out if all analyses that need it are maps, or come by options.
    """
    users: dict[str, list[Analysis]] = {}
    for analysis, addresses in stages.items():
        for name in map(item_of, addresses):
            users.setdefault(name, []).append(analysis)
    ways = dict[str, str]()
    for name, needing in users.items():
        if all(analysis.is_map for analysis in needing):
            ways[name] = f" (--{NO_MAPS} leaves it out)"
        elif all(analysis.option for analysis in needing):
            options = dict.fromkeys(f"--{analysis.option}" for analysis in needing)
            ways[name] = f" (by {', '.join(options)})"
    return ways
