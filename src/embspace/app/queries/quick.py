"""`embspace report --quick`: the mean cosine and dimension of the states of every layer.

Runs in this process and within a minute; a whole report takes longer.
"""

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from jaxtyping import Float, Int

from embspace.app.page.named import rendered
from embspace.app.page.pictures import svg_uri
from embspace.app.reporting.listed import note
from embspace.app.reporting.subject import REPORTS, Subject
from embspace.app.reporting.texts_given import DOCUMENT, GROUP
from embspace.app.working_tree import OwnTexts
from embspace.draw.page.markdown import markdown_table
from embspace.errors import InputError, counted
from embspace.files.atomic import writing
from embspace.geometry.measures.mean_direction import mean_cosine
from embspace.geometry.measures.spectral_measures import participation_ratio
from embspace.geometry.measures.two_nearest import two_nn
from embspace.loaded.model import LoadedModel, load_described
from embspace.loaded.reference import corpus_texts
from embspace.loaded.states import read_states
from embspace.settings.params import read_params

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TEMPLATE = "quick.html.jinja"
FOLDER = "+quick"  # the end of the name of a report's folder
USUAL = "posts"  # short texts, which are read in seconds
MOST_NEIGHBORS = 8192  # vectors among which nearest neighbors are sought
TRAINED, RANDOM = "trained", "random weights"
MEASURES: dict[str, Callable[[Any], float]] = {
    "mean cosine": mean_cosine,
    "participation ratio": participation_ratio,
    "intrinsic dimension": lambda x: float(two_nn(x)),
}
MEANINGS = {
    "mean cosine": "the mean over all pairs of tokens; 0 where directions are independent",
    "participation ratio": "how many directions hold the variance, of as many as there are "
    "dimensions",
    "intrinsic dimension": "by TwoNN, from the distances to the two nearest neighbors, among the "
    "first states of different tokens",
}
DIGITS = 3


def write_quick(subject: Subject, model: str, root: Path) -> tuple[Path, str]:
    """Write the page of the first numbers of a model on texts; return the page and the table.

    Raises:
        InputError: if the model or a text cannot be read.
    """
    texts, label = _texts(subject, root)
    device = read_params(root).device
    loaded = load_described(subject.model, subject.described, root, device)
    table, n_tokens = measure_quick(loaded, texts, root)
    name = loaded.description.label
    title = (
        f"{name}: the mean cosine of two tokens is {_ends(table, 'mean cosine')} from the "
        "embeddings to the last layer"
    )
    subtitle = f"{counted(n_tokens, 'token')} of {counted(len(texts), 'text')}, {label}"
    drawn = BytesIO()
    draw_quick(table, title, subtitle).savefig(drawn, format="svg")
    wide = shown(table)
    page = rendered(
        TEMPLATE,
        title=title,
        subtitle=subtitle,
        model=name,
        picture=svg_uri(drawn.getvalue()),
        meanings=MEANINGS,
        header=[*wide.columns],
        rows=[[f"{value:.3g}" for value in row] for row in wide.to_numpy()],
        n_neighbors=int(table["n"].min()),
        next_command=f"embspace report {model}",
    )
    target = REPORTS / f"{subject.name}{FOLDER}" / "index.html"
    note(root / target.parent, f"{subject.title} --quick")
    with writing(root / target) as partial:
        partial.write_text(page, encoding="utf-8")
    return target, f"{title}\n{subtitle}\n\n{markdown_table(wide, DIGITS)}"


def measure_quick(
    loaded: LoadedModel, texts: Sequence[str], root: Path
) -> tuple[pd.DataFrame, int]:
    """Return a row per layer and measure, trained and with random weights; and how many tokens.

    Special tokens are left out. The columns are weights, layer, measure, value, n. Neighbors are
    sought among the first states of distinct tokens, at most `MOST_NEIGHBORS`: else the nearest
    neighbor would be the same word elsewhere, and the dimension that of the word's contexts.
    """
    from embspace.models.weights import with_random_weights

    twin = with_random_weights(loaded.module, read_params(root).seed)
    rows, n_tokens = [], 0
    for weights, model in ((TRAINED, loaded), (RANDOM, replace(loaded, module=twin))):
        alone = replace(model, modules=None, encoder=None)
        states = read_states(alone, texts, root, {})
        kept = ~(states.tokens["special"] | states.tokens["repeated"]).to_numpy()
        n_tokens = int(kept.sum())
        if not n_tokens:
            raise InputError(
                f"the tokenizer of '{loaded.name}' knows too few tokens of these texts to read them"
            )
        first = ~states.tokens["id"][kept].duplicated().to_numpy()
        different = np.flatnonzero(first)[:MOST_NEIGHBORS]
        for layer, x in enumerate(states.tensors["token"]):
            rows += [
                {"weights": weights, "layer": layer, "measure": name, "value": value, "n": n}
                for name, value, n in _measured(np.asarray(x[kept]), different)
            ]
    return pd.DataFrame(rows), n_tokens


def _measured(
    x: Float[np.ndarray, "token dim"], different: Int[np.ndarray, " type"]
) -> list[tuple[str, float, int]]:
    measured = []
    for name, measure in MEASURES.items():
        cloud = x[different] if name == "intrinsic dimension" else x
        try:
            value = measure(cloud)
        except ValueError:  # too few vectors
            value = float("nan")
        measured.append((name, value, len(cloud)))
    return measured


def shown(table: pd.DataFrame) -> pd.DataFrame:
    """Return a row a layer, and a column a measure and kind of weights."""
    wide = table.pivot(index="layer", columns=["measure", "weights"], values="value")
    columns = [(name, weights) for name in MEASURES for weights in (TRAINED, RANDOM)]
    wide = wide[columns]
    names = [name if weights == TRAINED else f"{name}, {weights}" for name, weights in columns]
    return wide.set_axis(names, axis="columns").reset_index()


def draw_quick(table: pd.DataFrame, title: str, subtitle: str) -> "Figure":
    """Return a panel a measure: the value by layer, beside random weights."""
    from matplotlib.ticker import MaxNLocator

    from embspace.draw.page.canvas import letter_panels, new_figure, use_style
    from embspace.draw.page.looks import BLUE, GRAY

    use_style()
    figure, axes = new_figure(
        1, len(MEASURES), height_mm=62, title=title, subtitle=subtitle, stage="report --quick"
    )
    looks = {TRAINED: (BLUE, "o", "-"), RANDOM: (GRAY, "s", "--")}
    for ax, name in zip(axes, MEASURES, strict=True):
        for weights, (color, marker, line) in looks.items():
            rows = table[(table["measure"] == name) & (table["weights"] == weights)]
            (drawn,) = ax.plot(rows["layer"], rows["value"], color=color, linestyle=line)
            drawn.set(marker=marker, label=weights)
        ax.set_title(name, loc="left")
        ax.set_xlabel("layer")
        ax.set_ylim(bottom=min(0, ax.get_ylim()[0]))
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes[0].legend(frameon=False)
    letter_panels(figure)
    return figure


def _ends(table: pd.DataFrame, measure: str) -> str:
    rows = table[(table["measure"] == measure) & (table["weights"] == TRAINED)]
    first, last = rows["value"].iloc[[0, -1]]
    return f"{first:.2f} to {last:.2f}"


def _texts(subject: Subject, root: Path) -> tuple[list[str], str]:
    """Return the texts of a subject, and the label of the texts."""
    if subject.own is not None:
        return _texts_of(subject.own), subject.own.label
    corpora = subject.corpora
    corpus = USUAL if USUAL in corpora else corpora[0]
    return corpus_texts(corpus, root, None)["text"].tolist(), corpus


def _texts_of(own: OwnTexts) -> list[str]:
    from embspace.files.texts import load_texts

    options = {key: value for key, value in own.options.items() if key not in (GROUP, DOCUMENT)}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"{own.name}{own.suffix}"
        file.write_bytes(own.content)
        texts: list[str] = load_texts(str(file), **options)["text"].tolist()
        return texts
