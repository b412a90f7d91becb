"""Command `embspace layer`: ranks the layers and poolings of a model on texts of a user."""

from contextlib import chdir
from pathlib import Path
from typing import TYPE_CHECKING, Any

from embspace.app.describe import Say
from embspace.app.report import GROUP, Subject, open_tree, reproduce
from embspace.app.working_tree import OwnTexts
from embspace.errors import InputError, counted
from embspace.prepare.sentences import FEWEST, split_sentences
from embspace.settings.params import CONF
from embspace.settings.pipeline import read_stages
from embspace.settings.schema import read_yaml
from embspace.settings.stage import settings_path

if TYPE_CHECKING:
    import pandas as pd

NOUN = "layer_choice"
TASKS = {
    "search": ("finds the other half of a text", "mean reciprocal rank"),
    "labels": ("tells the labels of texts by a linear classifier", "held-out accuracy"),
    "clusters": ("keeps the labels of texts apart as clusters", "mean silhouette"),
}
NEEDED = {
    "search": "20 texts or more of at least four sentences",
    "labels": "two labels or more (--label-column) that 20 texts or more have each",
}
NOTHING = f"nothing to choose a layer by; expected {NEEDED['search']}, or {NEEDED['labels']}"
POOLINGS = {
    "cls": "the first token",
    "mean": "the mean of tokens",
    "max": "the maximum of tokens",
    "last": "the last token",
}
OWN = "sentence"  # the vector that the makers of a sentence model take of a text
N_SHOWN = 5


def choose_layer(subject: Subject, say: Say) -> str:
    """Compute what is not there yet, and return a paragraph for each corpus and task.

    The current folder is a tree's root.

    Raises:
        InputError: if the model is vectors alone, or texts of one's own are too few for any
            choice; with what a stage said that failed.
    """
    from embspace.app.page.texts_read import texts_told
    from embspace.files.tables import load_table

    _check_reads(subject)
    tree = open_tree(subject, say)
    if subject.own:
        texts = _texts(tree.folder, subject.own)
        if not has_a_task(texts, subject.own.options):
            raise InputError(f"{subject.own.label}: {NOTHING}{_of_copies(texts)}")
    stage = read_stages(tree.folder)[f"measure_{NOUN}"]
    reproduce(tree, [stage.address(subject.model)], say)
    for sentence in texts_told(tree.folder, subject.model):
        say(sentence)
    table = load_table(str(tree.folder / f"results/{NOUN}/{subject.model}.csv"))
    return advice(table, subject.model)


def _check_reads(subject: Subject) -> None:
    """Stop at vectors without a model, which read no text."""
    content = subject.described or read_yaml(CONF / "model" / f"{subject.model}.yaml")
    if content.get("source") == "vectors":
        raise InputError(
            f"--model: found '{subject.model}', whose `source: vectors` reads no text; allowed: a "
            "model with weights"
        )


def has_a_task(texts: "pd.DataFrame", options: dict[str, Any]) -> bool:
    """Return whether texts are enough to search in, or their labels to be told.

    `options` say how the texts are read, by keys of a description in conf/corpus/.
    """
    fewest = read_yaml(settings_path("measure", NOUN))["fewest_documents"]
    document = texts["document"] if "document" in texts else texts.index.to_series()
    n_sentences = texts["text"].map(lambda text: len(split_sentences(text)))
    n_halved = document[n_sentences >= FEWEST].nunique()
    group = options.get(GROUP)
    n_documents = document.groupby(texts[group]).nunique() if group else document.iloc[:0]
    return n_halved >= fewest or int((n_documents >= fewest).sum()) > 1


def _texts(folder: Path, own: OwnTexts) -> "pd.DataFrame":
    """Return the texts with their documents, of which copies have one."""
    from embspace.prepare.texts import load_units
    from embspace.settings.corpus import describe_corpus

    with chdir(folder):
        return load_units(describe_corpus(own.name, own.description))


def _of_copies(texts: "pd.DataFrame") -> str:
    from embspace.prepare.texts import copies_told

    sentence = copies_told(texts)
    return f"; {sentence}" if sentence else ""


def advice(table: "pd.DataFrame", model: str) -> str:
    """Return the ranking of layers and a sentence for a paper, by corpus and task."""
    if table.empty:
        return f"{NOTHING[0].upper()}{NOTHING[1:]}."
    parts = [
        f"{corpus}: {task}\n\n{_ranking(rows)}\n\n{_sentence(rows, str(task), model)}"
        for (corpus, task), rows in table.groupby(["corpus", "task"], sort=False)
    ]
    return "\n\n".join([*parts, *_not_asked(table)])


def _not_asked(table: "pd.DataFrame") -> list[str]:
    """Return a sentence for each task that a corpus has not enough of to be asked."""
    asked = {(row["corpus"], row["task"]) for _, row in table.iterrows()}
    return [
        f"{corpus}: {task} not asked, which needs {needed}."
        for corpus in table["corpus"].unique()
        for task, needed in NEEDED.items()
        if (corpus, task) not in asked
    ]


def _ranking(rows: "pd.DataFrame") -> str:
    """Return the best layers, and the best of what stands beside them, a line each.

    The makers' own vector stands first: it is what one takes where no layer is clearly better.
    """
    own, trained = rows[rows["embedding"] == OWN], _layers(rows)
    beside = rows[rows["weights"] != "trained"].sort_values("value", ascending=False)
    beside = beside.drop_duplicates("weights")
    lines = [f"{'':>4}  {'':44}  {'value':22}  less the last layer"]
    lines += [f"{'':4}  {_name(row):44}  {_interval(row, 'value')}" for _, row in own.iterrows()]
    for _, row in trained.head(N_SHOWN).iterrows():
        mark = "=" if row["among_best"] else " "
        less = _interval(row, "less_last")
        lines.append(
            f"{row['rank']:3.0f}{mark}  {_name(row):44}  {_interval(row, 'value'):22}  {less}"
        )
    lines += [f"{'':4}  {_name(row):44}  {_interval(row, 'value')}" for _, row in beside.iterrows()]
    n_best = int(trained["among_best"].sum())
    lines.append(f"= of {len(trained)}, {n_best} cannot be told from the best")
    return "\n".join(lines)


def _sentence(rows: "pd.DataFrame", task: str, model: str) -> str:
    """Return what one would write into a paper."""
    best = rows.iloc[0]
    trained = _layers(rows)
    does, quantity = TASKS[task]
    last_layer = trained["layer"].max()
    if best["layer"] == last_layer:
        verdict = "no earlier layer does better"
    else:
        is_sure = best["less_last_low"] > 0
        difference = f"{_interval(best, 'less_last')} more than the last layer with it"
        verdict = difference if is_sure else f"{difference}, no clear difference"
    if not best["value_low"] > best["chance"]:
        verdict += f", and it is not surely above chance, {best['chance']:.3f}"
    others = [
        f"{name} {of_kind['value'].max():.3f}"
        for name, kind in (("random weights at best", "random"), ("words alone", "none"))
        if len(of_kind := rows[rows["weights"] == kind])
    ]
    return (
        f"Of the {counted(trained['layer'].nunique(), 'layer')} of {model} and "
        f"{counted(trained['embedding'].nunique(), 'pooling')}, layer {best['layer']:.0f} with "
        f"{POOLINGS[best['embedding']]} {does} best "
        f"({quantity} {_interval(best, 'value')}, {counted(int(best['n']), 'text')}): {verdict}; "
        f"{', '.join(others)}.{_own(rows, does)} ({100 * best['level']:g} % intervals over "
        "texts; that of the "
        "difference is over all layers and poolings at once, that of the value is not adjusted for "
        "having picked the best.)"
    )


def _layers(rows: "pd.DataFrame") -> "pd.DataFrame":
    """Return the layers of the model, at its own weights."""
    return rows[(rows["weights"] == "trained") & (rows["embedding"] != OWN)]


def _own(rows: "pd.DataFrame", does: str) -> str:
    """Return a sentence on the makers' own vector beside the best layer; "" of other models."""
    own = rows[rows["embedding"] == OWN]
    if own.empty:
        return ""
    row = own.iloc[0]
    less = f"a difference of {_interval(row, 'less_best')} from that layer"
    verdict = "clearly worse" if row["less_best_high"] < 0 else "not clearly worse"
    return f" The vector of its makers {does} at {_interval(row, 'value')}: {verdict}, {less}."


def _name(row: "pd.Series") -> str:
    if row["embedding"] == OWN:
        return "the vector of its makers, the default"
    if row["weights"] == "none":
        return {"tf_idf": "words alone, TF-IDF", "bm25": "words alone, BM25"}[row["embedding"]]
    random = ", random weights" if row["weights"] == "random" else ""
    return f"layer {row['layer']:.0f}, {POOLINGS[row['embedding']]}{random}"


def _interval(row: "pd.Series", name: str) -> str:
    low, high = row[f"{name}_low"], row[f"{name}_high"]
    return f"{row[name]:.3f} ({low:.3f} to {high:.3f})"
