"""Figure and tables of `measure_attribution`: which sites of a gene a class rests on."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import (
    counted,
    join_panels,
    legend_below,
    new_figure,
    say_instead,
    sentence_case,
    shade,
)
from embspace.draw.page.looks import GRAY, seed_look
from embspace.draw.page.markdown import folded, for_readers, interval, markdown_table, section
from embspace.draw.page.saving import Results
from embspace.draw.sequences.sequence_looks import (
    METHODS,
    RANDOM,
    first_run,
    of_run,
    show_codons,
    words_of,
)

KNOWN_SITES = (
    "Of as many first places as a sequence has true ones, the share that is true. A method "
    "finds the sites with a seed if its interval is above chance, and above the same method of "
    "all random weights; it is worse than the regression if the interval of the difference is "
    "below 0. Both rules were fixed before, but for random weights, which were added after the "
    "results: sequences of a class share their places, so that half of the methods with random "
    "weights were above chance, too."
)
NONE = "no run classifies simulated sequences; `make all` trains one"
REGRESSION = "logistic_regression"
SCORING = [*METHODS][:5]  # those that score places; the others are orders alone
APART = 0.2  # of a method's row, between two seeds
LARGEST = 2.0  # of a logit, at which the colors of the map end


def draw_attribution(
    results: Results, label: str, *, row_height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Draw curves, the true places that each method finds, and occlusion along the gene.

    Of the first run by name that has results; the tables are of all runs.
    """
    heading = "# Attribution\n\nStage `measure_attribution`.\n"
    run = first_run(results["precision"])
    names = ("precision", "curves", "places", "changes")
    tables = {name: of_run(results[name], run) if run else results[name] for name in names}
    rows = tables["precision"]
    figure, axes = new_figure(
        3 if len(rows) else 1,
        2 if len(rows) else 1,
        height_mm=3 * row_height_mm + 52 if len(rows) else 40,
        title=_title(rows),
        subtitle=_subtitle(rows, run or label),
        stage="measure_attribution",
    )
    if rows.empty:
        say_instead(axes, NONE)
        return figure, f"{heading}\nNone.\n"
    for ax, curve in zip(axes, ("deletion", "insertion"), strict=False):
        _curves(ax, tables["curves"][tables["curves"]["curve"] == curve])
    axes[0].set(title="First k-mers hidden", ylabel="Probability of the class")
    axes[1].set(title="First k-mers alone shown")
    for ax, name, words in (
        (axes[2], "precision", "True places among the first"),
        (axes[3], "any_class_precision", "Places of any class among the first"),
    ):
        _found(ax, rows, name)
        ax.set(title=words, xlabel="Share of the first places")
    axes[3].set_yticklabels([])
    ax = join_panels(axes[4:])
    _along_the_gene(ax, tables["places"], sorted(set(tables["changes"]["codon"])))
    ax.set_title("Fall of the class's logit when a k-mer is hidden; frames: k-mers of its sites")
    legend_below(figure, axes[:4], ncols=5)
    return figure, f"{heading}\n{_tables(results, digits)}"


def _title(rows: pd.DataFrame) -> str:
    if rows.empty:
        return "No run classifies simulated sequences"
    trained = rows[rows["weights"] == "trained"]
    found = trained[trained["finds_sites"].astype(str) == "True"]
    n_seeds = trained["model_seed"].nunique()
    in_all = [
        METHODS[method].name for method in SCORING if (found["method"] == method).sum() == n_seeds
    ]
    best = trained[trained["method"] == "occlusion"]["precision"]
    regression = rows[rows["method"] == REGRESSION]["precision"].max()
    who = ", ".join(in_all) if in_all else "no method"
    return (
        f"{sentence_case(who)} find sites of the class in all seeds: occlusion {best.min():.2f} to "
        f"{best.max():.2f} of the places, logistic regression {regression:.2f}, chance "
        f"{rows['chance_precision'].iloc[0]:.2f}"
    )


def _subtitle(rows: pd.DataFrame, run: str) -> str:
    if rows.empty:
        return "0 runs"
    row = rows.iloc[0]
    n_seeds = rows[rows["weights"] == "trained"]["model_seed"].nunique()
    return (
        f"{words_of(run)}: {counted(n_seeds, 'seed')}, "
        f"{counted(row['n_documents'], 'held-out sequence')} with a change of their class, one an "
        f"ancestor, of {counted(row['n_places'], 'k-mer')} each · a, b: seed "
        f"{rows['model_seed'].min():g} · c: true places cover such a change, first ones are as "
        "many · d: of these, those that cover a codon that any class changes · e: mean over seeds; "
        "a codon in two overlapping k-mers has two frames · bars, bands: 95 % intervals over "
        "sequences"
    )


def _curves(ax: Axes, rows: pd.DataFrame) -> None:
    first = rows[rows["model_seed"] == rows["model_seed"].min()]
    for method, look in METHODS.items():
        of_method = first[first["method"] == method]
        if of_method.empty:
            continue
        style: dict[str, Any] = {"color": look.color, "ls": look.line, "marker": look.marker}
        ax.plot(of_method["n_hidden"], of_method["probability"], ms=3, label=look.name, **style)
        shade(ax, of_method, "n_hidden", "probability", color=look.color, alpha=0.12)
    ax.set_xscale("symlog", linthresh=1, linscale=0.6)
    ticks = [each for each in (0, 1, 2, 5, 10, 20, 50) if each <= first["n_hidden"].max()]
    ax.set_xticks(ticks, map(str, ticks))
    ax.set_xticks([], minor=True)
    ax.set(ylim=(-0.03, 1.03), xlabel="Number of k-mers")


def _found(ax: Axes, rows: pd.DataFrame, quantity: str) -> None:
    """Draw a row for each method: a mark with its interval for each seed, crosses at random."""
    for number, method in enumerate(SCORING):
        of_method = rows[rows["method"] == method]
        trained = of_method[of_method["weights"] == "trained"]
        n = max(len(trained), 1)
        for order, (_, row) in enumerate(trained.iterrows()):
            look = seed_look(int(row["model_seed"]))
            y = number + APART * (order - (n - 1) / 2)
            _mark(ax, row, quantity, y, look.color, look.marker, look.name.capitalize())
        for _, row in of_method[of_method["weights"] == "random weights"].iterrows():
            ax.plot(row[quantity], number, "x", color=GRAY, ms=4, label=RANDOM.name)
        for _, row in of_method[of_method["weights"] == "logistic regression"].iterrows():
            look = METHODS[REGRESSION]
            _mark(ax, row, quantity, number, look.color, look.marker, None)
    ax.axvline(rows[f"chance_{quantity}"].iloc[0], color=GRAY, ls="--", lw=0.8, label="chance")
    ax.set_yticks(range(len(SCORING)), [_short(method) for method in SCORING])
    ax.set(ylim=(len(SCORING) - 0.5, -0.5), xlim=(-0.02, 1.02))


def _short(method: str) -> str:
    return "logistic regression" if method == REGRESSION else METHODS[method].name


def _mark(
    ax: Axes, row: pd.Series, quantity: str, y: float, color: str, marker: str, label: str | None
) -> None:
    value = float(row[quantity])
    bounds = [[value - row[f"{quantity}_low"]], [row[f"{quantity}_high"] - value]]
    style: dict[str, Any] = {"color": color, "marker": marker, "ms": 4, "lw": 1}
    ax.errorbar([value], [y], xerr=bounds, label=label, ls="", elinewidth=1, **style)


def _along_the_gene(ax: Axes, places: pd.DataFrame, codons: list[int]) -> None:
    import seaborn as sns

    occlusion = places[places["method"] == "occlusion"]
    wide = occlusion.pivot_table("attribution", "class", "place")
    bar = {"pad": 0.01, "aspect": 12, "label": "logit", "extend": "both"}
    limits: dict[str, Any] = {"cmap": "RdBu_r", "vmin": -LARGEST, "vmax": LARGEST}
    sns.heatmap(wide, ax=ax, cbar_kws=bar, xticklabels=False, yticklabels=True, **limits)
    own = occlusion[occlusion["n_changes"] > 0]
    for name, place in zip(own["class"], own["place"], strict=True):
        corner = (place, list(wide.index).index(name))
        ax.add_patch(Rectangle(corner, 1, 1, fill=False, edgecolor="black", linewidth=0.7))
    show_codons(ax, occlusion, codons)
    ax.set_ylabel("")
    ax.tick_params(length=0, rotation=0)
    ax.grid(visible=False)


def _tables(results: Results, digits: int) -> str:
    precision = results["precision"]
    run = {"run": "run"} if "run" in precision else {}
    keys = {**run, "weights": "weights", "model_seed": "seed", "method": "method"}
    columns = {
        **keys,
        "n_documents": "sequences",
        **interval("precision", "true places"),
        "chance_precision": "chance",
        "largest_random_precision": "largest of random weights",
        "finds_sites": "finds sites",
        **interval("precision_less_regression", "less the regression"),
        **interval("any_class_precision", "places of any class"),
        "chance_any_class_precision": "chance of these",
        "largest_random_any_class_precision": "largest of these of random weights",
    }
    named = {name: _named(results[name]) for name in ("precision", "areas", "recall", "changes")}
    first = section(
        "Known sites", KNOWN_SITES, markdown_table(for_readers(named["precision"], columns), digits)
    )
    areas = {**run, "model_seed": "seed", "method": "method", "curve": "curve"}
    areas |= interval("area", "area") | interval("area_less_random", "less a random order")
    areas |= interval("area_less_regression", "less the regression")
    of_areas = section(
        "Areas under the curves",
        "Deletion: the smaller, the sooner the class is lost. Insertion: the larger, the sooner it "
        "is known.",
        markdown_table(for_readers(named["areas"], areas), digits),
    )
    recall = {**keys, "n_first": "first places", **interval("recall", "changes found")}
    recall |= {"chance_recall": "chance"}
    of_recall = section(
        "Changes found, by the number of first places",
        "The share of a sequence's changes that they cover.",
        markdown_table(for_readers(named["recall"], recall), digits),
    )
    changes = {**run, "class": "class", "change": "change", "method": "method"}
    changes |= {"model_seed": "seed", "n_documents": "sequences", **interval("found", "found")}
    changes |= {"chance_found": "chance"}
    of_changes = section(
        "Each change",
        "In how many of the sequences that have it a place that covers it is among the first.",
        markdown_table(for_readers(named["changes"], changes), digits),
    )
    return "\n".join([first, folded("\n".join([of_areas, of_recall, of_changes]))])


def _named(table: pd.DataFrame) -> pd.DataFrame:
    if "method" not in table:
        return table
    return table.assign(method=[METHODS[each].name for each in table["method"]])
