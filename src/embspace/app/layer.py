"""Command `embspace layer`: ranks the layers and poolings of a model on texts of a user."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from embspace.app.describe.find import Say
from embspace.app.page.texts_read import NO_SPACES
from embspace.app.queries.corpus_space import check_read
from embspace.app.reporting.subject import Subject
from embspace.errors import InputError, counted
from embspace.loaded.model import LoadedModel, load_described
from embspace.loaded.reference import Reference, corpus_texts, read_once
from embspace.prepare.sentences import split_halves
from embspace.prepare.texts import copies_told
from embspace.scripts.words import has_no_spaces
from embspace.settings.params import CONF, read_params
from embspace.settings.schema import read_yaml
from embspace.settings.stage import settings_path

if TYPE_CHECKING:
    import pandas as pd

    from embspace.measure.texts.layer_choice import ReadCorpus

NOUN = "layer_choice"
TASKS = {
    "search": ("finds the other half of a text", "mean reciprocal rank"),
    "labels": ("tells the labels of texts by a linear classifier", "held-out accuracy"),
    "clusters": ("keeps the labels of texts apart as clusters", "mean silhouette"),
}
NEEDED = {
    "search": "20 texts or more of at least four sentences",
    "labels": "two labels (--label-column) with at least 20 texts each",
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
SAME = 1e-9  # values of two layers that differ by less are equal but for rounding


def choose_layer(subject: Subject, place: str, say: Say) -> str:
    """Return a paragraph for every task on the one corpus of a subject.

    States are computed in this process, and kept in the user's cache. The current folder is a
    tree's root; `place` is the user's file of texts, from the root, or a corpus of conf/corpus/.

    Raises:
        InputError: if the model is vectors alone, cannot be read, or knows too few tokens, or if
            the user's texts are too few for any choice.
    """
    from embspace.measure.texts.layer_choice import measure_layer_choice

    root, params = Path.cwd(), read_params()
    loaded = load_described(subject.model, subject.described, root, params.device)
    own = subject.own
    texts = corpus_texts(
        place, root, loaded.description.most_documents, own.options if own else None
    )
    settings = read_yaml(settings_path("measure", NOUN))
    if own and not has_a_task(texts, settings, params.seed):
        copies = copies_told(texts)
        raise InputError(f"{own.label}: {NOTHING}{'; ' if copies else ''}{copies}")
    has_halves = own or read_yaml(CONF / "corpus" / f"{place}.yaml").get("halves")
    name, said = (own.name, own.label) if own else (place, place)
    whole = read_once(loaded, texts, root)
    check_read(loaded, whole)
    for sentence in _remarks(loaded, whole):
        say(f"{said}: {sentence}.")
    halves = read_once(loaded, split_halves(texts if has_halves else texts[:0]), root)
    outcome = measure_layer_choice(
        loaded.module,
        loaded.description.final_norm,
        {name: _read(whole, halves)},
        **settings,
        device=params.device,
        seed=params.seed,
    )
    return advice(outcome["csv"].assign(corpus=said), subject.typed or loaded.name)


def has_a_task(texts: "pd.DataFrame", settings: dict[str, Any], seed: int) -> bool:
    """Return whether prepared texts suffice for a search, or for telling their labels apart."""
    from embspace.measure.texts.layer_choice_tasks import labeled

    fewest = settings["fewest_documents"]
    some = labeled(texts, fewest_documents=fewest, most_texts=settings["most_texts"], seed=seed)
    return len(some.rows) > 0 or split_halves(texts)["document"].nunique() >= fewest


def _read(whole: Reference, halves: Reference) -> "ReadCorpus":
    """Return a model's vectors of texts and halves, at the poolings by which texts are measured.

    The vector of a sentence model's own pooling is kept as well.
    """
    from embspace.clouds.pooling import SENTENCE
    from embspace.measure.tables.text_poolings import text_poolings
    from embspace.measure.texts.layer_choice import ReadCorpus, ReadTexts

    parts = (whole, halves)
    read = [text_poolings([part.states]) for part in parts if len(part.windows)]
    poolings = max(read, key=len)  # a decoder shows in texts that begin alike, where there are some
    return ReadCorpus(
        *(
            ReadTexts(
                part.texts,
                part.windows,
                part.tokens,
                {pooling: part.states[pooling] for pooling in poolings},
                part.states[SENTENCE][0] if SENTENCE in part.states else None,
            )
            for part in parts
        )
    )


def _remarks(loaded: LoadedModel, read: Reference) -> Iterator[str]:
    """Yield what a reader must know about texts: copies, scripts without spaces, unknown tokens."""
    if copies := copies_told(read.texts):
        yield copies
    if n := int(read.texts["text"].map(has_no_spaces).sum()):
        yield NO_SPACES.format(n=n, of=len(read.texts))
    ids = read.tokens["id"][~read.tokens["repeated"]]
    if share := float((ids == loaded.tokenizer.unk_token_id).mean()):
        yield f"the tokenizer does not know {100 * share:.2g} % of the tokens"


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
    """Return a sentence for every task for which a corpus has too little material."""
    measured = {(row["corpus"], row["task"]) for _, row in table.iterrows()}
    return [
        f"{corpus}: {task} not asked, which needs {needed}."
        for corpus in table["corpus"].unique()
        for task, needed in NEEDED.items()
        if (corpus, task) not in measured
    ]


def _ranking(rows: "pd.DataFrame") -> str:
    """Return the best layers, and the best of what stands beside them, one per line.

    The makers' own vector stands first: it is the choice where no layer is clearly better.
    """
    own, trained = rows[rows["embedding"] == OWN], _layers(rows)
    beside = rows[rows["weights"] != "trained"].sort_values("value", ascending=False)
    beside = beside.drop_duplicates("weights")
    lines = [f"{'':>4}  {'':44}  {'value':22}  more than the last layer"]
    lines += [f"{'':4}  {_name(row):44}  {_interval(row, 'value')}" for _, row in own.iterrows()]
    is_best = trained["among_best"] | _is_first(trained)
    places = trained["value"].round(9).rank(ascending=False, method="min")
    for best, place, (_, row) in zip(
        is_best, places, trained.head(N_SHOWN).iterrows(), strict=False
    ):
        mark = "=" if best else " "
        less = _interval(row, "less_last")
        lines.append(f"{place:3.0f}{mark}  {_name(row):44}  {_interval(row, 'value'):22}  {less}")
    lines += [f"{'':4}  {_name(row):44}  {_interval(row, 'value')}" for _, row in beside.iterrows()]
    n_best = int(is_best.sum())
    lines.append(f"= of {len(trained)}, {n_best} cannot be told from the best")
    return "\n".join(lines)


def _sentence(rows: "pd.DataFrame", task: str, model: str) -> str:
    """Return the result as a sentence for a paper."""
    best = rows.iloc[0]
    trained = _layers(rows)
    first = trained[_is_first(trained)]
    does, quantity = TASKS[task]
    last_layer = trained["layer"].max()
    if len(first) > 1:
        verdict = "they are equal, so that these texts choose none of them"
    elif best["layer"] == last_layer:
        verdict = "no earlier layer does better"
    else:
        is_sure = best["less_last_low"] > 0
        difference = f"{_interval(best, 'less_last')} more than the last layer with it"
        verdict = difference if is_sure else f"{difference}, no clear difference"
    if not best["value_low"] > best["chance"]:
        verdict += f", and it is not surely above chance, {best['chance']:.3f}"
    others = [
        f"{name} {kind_rows['value'].max():.3f}"
        for name, kind in (("random weights at best", "random"), ("words alone", "none"))
        if len(kind_rows := rows[rows["weights"] == kind])
    ]
    return (
        f"Of the {counted(trained['layer'].nunique(), 'layer')} of {model} and "
        f"{counted(trained['embedding'].nunique(), 'pooling')}, {_winners(first)} {does} best "
        f"({quantity} {_interval(best, 'value')}, {counted(int(best['n']), 'text')}): {verdict}; "
        f"{', '.join(others)}.{_own(rows, does)} ({100 * best['level']:g} % intervals over "
        "texts; that of the "
        "difference is over all layers and poolings at once, that of the value is not adjusted for "
        "having picked the best.)"
    )


def _is_first(trained: "pd.DataFrame") -> "pd.Series[bool]":
    """Return which layers have the largest value."""
    return trained["value"] >= trained["value"].max() - SAME


def _winners(first: "pd.DataFrame") -> str:
    """Return the layer with the largest value, or the number and range of equal layers."""
    if len(first) == 1:
        row = first.iloc[0]
        return f"layer {row['layer']:.0f} with {POOLINGS[row['embedding']]}"
    low, high = first["layer"].min(), first["layer"].max()
    layers = f"layer {low:.0f}" if low == high else f"layers {low:.0f} to {high:.0f}"
    return f"each of {len(first)} pairs of a layer and a pooling, from {layers},"


def _layers(rows: "pd.DataFrame") -> "pd.DataFrame":
    """Return the layers of the model, at its own weights."""
    return rows[(rows["weights"] == "trained") & (rows["embedding"] != OWN)]


def _own(rows: "pd.DataFrame", does: str) -> str:
    """Return a sentence on the makers' own vector beside the best layer; "" if there is none."""
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
