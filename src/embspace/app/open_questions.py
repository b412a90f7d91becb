"""Says what the thesis asked at its end, and what was found out for a model."""

from pathlib import Path

ASKED = (
    ("5.1", "Of what are the islands on maps of texts?", "text_islands"),
    ("5.2.1", "Do opposites come apart without what their part of speech shares?", "oppositeness"),
    ("5.2.2", "Can a search find opposite texts that are still grammatical?", "opposite_texts"),
    ("5.2.3", "How are the positions shaped, as a curve?", "position_shape"),
    ("5.2.4", "Of which parts is the cloud of tokens made?", "vocabulary_clusters"),
    ("5.2.5", "What do fewer bits a weight do to the geometry?", "rounding"),
)
"""The questions of chapter 5 in our words, and the analysis that answers, if there is one."""


def answers_of_open_questions(model: str, up: str) -> str:
    """Return a table of the questions, with the finding of each figure that a model has.

    Parameters:
        model: a name in conf/model/.
        up: the way from the page's folder to the tree, for links.
    """
    lines = ["| section | question | answer | figure |", "|---|---|---|---|"]
    for number, question, noun in ASKED:
        picture = Path(f"figures/{noun}/{model}.png")
        has_figure = picture.is_file()
        answer = (finding_of(picture) if has_figure else "") or "not computed"
        link = f"[{noun}]({up}/{picture.as_posix()})" if has_figure else "–"
        lines.append(f"| {number} | {question} | {answer} | {link} |")
    return "\n".join(lines)


def finding_of(picture: Path) -> str:
    """Return the title of a figure, from the PNG's metadata; empty without one."""
    from PIL import Image

    with Image.open(picture) as image:
        return " ".join(str(image.info.get("Description", "")).split())
