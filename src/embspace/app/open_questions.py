"""Shows the questions at the end of the thesis, with the findings for a model and for others."""

from collections import defaultdict
from pathlib import Path

import pandas as pd

from embspace.app.page.findings import without_marks
from embspace.files.tables import load_table, save_table
from embspace.published.sources import PUBLISHED
from embspace.settings.params import CONF
from embspace.settings.schema import read_yaml

ASKED = (
    ("5.1", "Of what are the islands on maps of texts?", "text_islands"),
    ("5.2.1", "Do opposites come apart without what their part of speech shares?", "oppositeness"),
    ("5.2.2", "Can a search find opposite texts that are still grammatical?", "opposite_texts"),
    ("5.2.3", "How are the positions shaped, as a curve?", "position_shape"),
    ("5.2.4", "Of which parts is the cloud of tokens made?", "vocabulary_clusters"),
    ("5.2.5", "What do fewer bits a weight do to the geometry?", "rounding"),
)
"""The questions of chapter 5 in our words, and the analysis that answers each."""
KEPT = PUBLISHED / "answers"
"""The folder of kept answers, a table a model."""
COLUMNS = ["noun", "answer"]
JUDGED = "--"
NOT_COMPUTED = "not computed"
SAME = "the same"


def answers_of_open_questions(model: str, up: str) -> str:
    """Return a table of the questions, with the findings for a model and those kept for others.

    Parameters:
        model: a name in conf/model/.
        up: the way from the page's folder to the tree, for links.
    """
    lines = ["| section | question | answer | figure |", "|---|---|---|---|"]
    others = {
        file.stem: dict(load_table(str(file))[COLUMNS].to_numpy())
        for file in sorted(KEPT.glob("*.csv"))
        if file.stem != model
    }
    for section, question, noun in ASKED:
        picture = _picture(noun, model)
        link = f"[{noun}]({up}/{picture.as_posix()})" if picture.is_file() else "–"
        answer = _answer(noun, model)
        lines.append(f"| {section} | {question} | {answer} | {link} |")
        by_answer = defaultdict[str, list[str]](list)
        for other, answers in others.items():
            if noun in answers:
                said = SAME if answers[noun] == answer else answers[noun]
                by_answer[said].append(f"*{label_of(other)}*")
        ordered = sorted(by_answer.items(), key=lambda pair: pair[0] != SAME)
        lines += [f"| | {', '.join(labels)} | {said} | – |" for said, labels in ordered]
    return "\n".join(lines)


def keep_answers(model: str) -> Path | None:
    """Keep the answers for a model, for comparison with other models; None without any."""
    answers = [(noun, _answer(noun, model)) for _, _, noun in ASKED]
    rows = [row for row in answers if row[1] != NOT_COMPUTED]
    if not rows:
        return None
    file = KEPT / f"{model}.csv"
    save_table(pd.DataFrame(rows, columns=COLUMNS), str(file))
    return file


def _picture(noun: str, model: str) -> Path:
    return Path(f"figures/{noun}/{model}.png")


def _answer(noun: str, model: str) -> str:
    picture = _picture(noun, model)
    finding = finding_of(picture) if picture.is_file() else ""
    return without_marks(finding) or NOT_COMPUTED


def label_of(model: str) -> str:
    """Return the label of a model or a run in figures; the name, for one missing in conf/.

    `model--judge` are the answers for a model whose texts another model judges.
    """
    if JUDGED in model:
        return ", judged by ".join(map(label_of, model.split(JUDGED)))
    files = (CONF / kind / f"{model}.yaml" for kind in ("model", "train"))
    return next((str(read_yaml(file)["label"]) for file in files if file.is_file()), model)


def finding_of(picture: Path) -> str:
    """Return the title of a figure, from the PNG's metadata; empty without a title."""
    from PIL import Image

    with Image.open(picture) as image:
        return " ".join(str(image.info.get("Description", "")).split())
