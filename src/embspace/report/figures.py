"""Stage `report_figures`: a page of all figures, each with the names that lead to its making.

It depends on what all chapters make. So plain `dvc repro`, which runs the stages of the root's
dvc.yaml and what they need, runs everything.
"""

from collections.abc import Iterable
from pathlib import Path

from embspace.files.atomic import write_bytes
from embspace.geometry.measures.declaration import FAMILIES
from embspace.settings.params import CONF
from embspace.settings.stage import StageConfig, run_stage

HEADING = "# All figures\n\nMade by the stage `report_figures`.\n"
MAKERS = ("measure", "project", "compare")
# Further figures of a noun that are not named after it, as evolution_steps of evolution is.
FURTHER = {
    "difference_consistency": "differences",
    "head_map": "head_features",
    "norm_and_mean_cosine": "mean_embedding",
    "projections": "pca",
}
PROFILES = "profiles"  # makes the figures of all families of layer measures


def report_figures(figures: Iterable[Path], settings: Iterable[Path]) -> str:
    """Return a page in Markdown: by chapter and noun, what is drawn and what makes it.

    Args:
        figures: The paths figures/<noun>/<model>.png, and of pairs of models likewise.
        settings: The paths conf/<verb>/[<chapter>/]<noun>.yaml.
    """
    pictures: dict[str, list[Path]] = {}
    for figure in sorted(figures):
        noun = figure.parent.name
        pictures.setdefault(PROFILES if noun in FAMILIES else noun, []).append(figure)
    made = {(file.parts[1], file.stem): file for file in settings}
    # Of all verbs with figures, `draw` alone has a folder for every chapter.
    drawn = [(file.parent.name, noun) for (verb, noun), file in made.items() if verb == "draw"]
    parts, last = [HEADING], ""
    for chapter, noun in sorted(drawn):
        nouns = (noun, FURTHER.get(noun, noun.rpartition("_")[0]))
        makers = [made[verb, each] for each in nouns for verb in MAKERS if (verb, each) in made]
        if makers and noun in pictures:
            parts += [f"\n## {chapter}\n"] if chapter != last else []
            parts.append(_section(chapter, noun, makers[0], pictures[noun]))
            last = chapter
    return "".join(parts)


def _section(chapter: str, title: str, settings: Path, figures: Iterable[Path]) -> str:
    """Return the part of a noun; links lead from data/reported/."""
    noun, verb = settings.stem, settings.parts[1]
    links = "\n".join(f"![{figure}](../../{figure})" for figure in figures)
    graph = f"pipeline/{chapter}/dvc.yaml"
    return (
        f"\n### {title}\n\nStage `{verb}_{noun}` of [{graph}](../../{graph}), "
        f"settings [{settings}](../../{settings}).\n\n{links}\n"
    )


def main(config: StageConfig) -> None:
    """Load, call, save."""
    page = report_figures(Path("figures").glob("*/*.png"), CONF.rglob("*.yaml"), **config.settings)
    write_bytes(Path("data/reported/figures.md"), page.encode())


if __name__ == "__main__":
    run_stage(main, report_figures, groups=())
