"""Draws which sites of a gene a class rests on, and how layers part classes."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import PercentFormatter
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import (
    counted,
    join_panels,
    legend_below,
    new_figure,
    percent,
    say_instead,
    write_beside,
)
from embspace.draw.page.looks import BLUE, GRAY
from embspace.draw.page.markdown import for_readers, interval, markdown_table, section, tables_page
from embspace.draw.page.saving import Results
from embspace.draw.sequences.class_flow import draw_silhouettes
from embspace.draw.sequences.sequence_looks import (
    METHODS,
    RANDOM,
    first_run,
    in_words,
    rows_of_run,
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
STAGE = "measure_attribution"
FURTHER_RESULTS = ("class_flow/separation.csv",)
SEPARATION = "class_flow/separation"
NONE = "no run classifies simulated sequences; `make all` trains one"
REGRESSION = "logistic_regression"
SCORING = [*METHODS][:5]  # those that score places; the others are orders alone
MOST_LEFT = 0.85  # share to the right of which a panel has no room for words
APART = 0.2  # of a method's row, between two seeds
SHOWN = ("precision", "precision_low", "precision_high", "chance_precision", "finds_sites")
LARGEST = 2.0  # of a logit, at which the colors of the map end


def draw_attribution(
    results: Results, label: str, *, row_height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Draw classes by layer, the true places found by the methods, and occlusion along the gene.

    The figure is of the first run by name with results; the tables are of all runs.
    """
    run = first_run(results["precision"])
    names = ("precision", "places", "changes", SEPARATION)
    tables = {name: rows_of_run(results[name], run) if run else results[name] for name in names}
    rows = tables["precision"]
    figure, axes = new_figure(
        2 if len(rows) else 1,
        2 if len(rows) else 1,
        height_mm=2 * row_height_mm + 46 if len(rows) else 40,
        title=_title(rows, tables[SEPARATION]),
        subtitle=_subtitle(rows, run or label),
        stage=STAGE,
    )
    if rows.empty:
        say_instead(axes, NONE)
        return figure, tables_page("Attribution", STAGE, "None.\n")
    if tables[SEPARATION].empty:
        say_instead([axes[0]], "not measured")
    else:
        draw_silhouettes(axes[0], tables[SEPARATION])
    _draw_precision(axes[1], rows)
    gene = join_panels(axes[2:])
    _along_the_gene(gene, tables["places"], sorted(set(tables["changes"]["codon"])))
    gene.set_title("Fall of the class's logit when a k-mer is hidden; frames: its sites, if any")
    legend_below(figure, axes[:2], ncols=5)
    return figure, tables_page("Attribution", STAGE, *_tables(results, digits))


def _title(rows: pd.DataFrame, separation: pd.DataFrame) -> str:
    if rows.empty:
        return "No run classifies simulated sequences"
    regression = rows.loc[rows["method"] == REGRESSION, "precision"].max()
    best = _best(rows)
    return _parted(separation) + (
        f"logistic regression finds {percent(regression)} of their sites, the model at most "
        f"{percent(best['precision'])}, by {METHODS[best['method']].name} (b)"
    )


def _best(rows: pd.DataFrame) -> pd.Series:
    trained = rows[(rows["weights"] == "trained") & rows["method"].isin(SCORING)]
    return trained.nlargest(1, "precision").iloc[0]


def _parted(separation: pd.DataFrame) -> str:
    """Return whether the last layer parts the classes with all seeds, as in `class_flow`."""
    trained = separation[separation["weights"] == "trained"]
    if trained.empty:
        return "Of classes, "
    last = trained[trained["layer"] == trained["layer"].max()]
    is_sure = (last["is_parted"].astype(str) == "True").all()
    return f"The last layer {'parts' if is_sure else 'does not surely part'} the classes (a); "


def _subtitle(rows: pd.DataFrame, run: str) -> str:
    if rows.empty:
        return "0 runs"
    row = rows.iloc[0]
    n_seeds = rows[rows["weights"] == "trained"]["model_seed"].nunique()
    return (
        f"{words_of(run)}: {counted(n_seeds, 'seed')}, "
        f"{counted(row['n_documents'], 'held-out sequence')} of "
        f"{counted(row['n_places'], 'k-mer')}, with changes that define their class · a: band: "
        "classes dealt at random, dotted: random weights · b: true: k-mers with such a change; "
        "dashed: chance · c: mean over seeds · bars: 95 % over sequences"
    )


def _draw_precision(ax: Axes, rows: pd.DataFrame) -> None:
    """Draw a row per method: a dot with interval per seed, crosses for random weights.

    The best seed of all methods and the regression have their numbers.
    """
    best = _best(rows).name
    for number, method in enumerate(SCORING):
        method_rows = rows[rows["method"] == method]
        trained = method_rows[method_rows["weights"] == "trained"]
        n = max(len(trained), 1)
        for order, (place, row) in enumerate(trained.iterrows()):
            y = number + APART * (order - (n - 1) / 2)
            _mark(ax, row, y, BLUE, "o", "a seed")
            if place == best:
                _print_share(ax, row, y)
        for _, row in method_rows[method_rows["weights"] == "random weights"].iterrows():
            ax.plot(row["precision"], number, "x", color=GRAY, ms=4, label=RANDOM.name)
        for _, row in method_rows[method_rows["weights"] == "logistic regression"].iterrows():
            look = METHODS[REGRESSION]
            _mark(ax, row, number, look.color, look.marker, None)
            _print_share(ax, row, number)
    ax.axvline(rows["chance_precision"].iloc[0], color=GRAY, ls="--", lw=0.8)
    ax.set_yticks(range(len(SCORING)), [_short(method) for method in SCORING])
    ax.set(ylim=(len(SCORING) - 0.5, -0.5), xlim=(-0.02, 1.02))
    ax.set(
        title="True sites among the top k-mers",
        xlabel="share of true sites among as many top k-mers",
    )
    ax.xaxis.set_major_formatter(PercentFormatter(1, symbol=" %"))


def _short(method: str) -> str:
    return "logistic regression" if method == REGRESSION else METHODS[method].name


def _mark(ax: Axes, row: pd.Series, y: float, color: str, marker: str, label: str | None) -> None:
    value = float(row["precision"])
    bounds = [[value - row["precision_low"]], [row["precision_high"] - value]]
    style: dict[str, Any] = {"color": color, "marker": marker, "ms": 4, "lw": 1}
    ax.errorbar([value], [y], xerr=bounds, label=label, ls="", elinewidth=1, **style)


def _print_share(ax: Axes, row: pd.Series, y: float) -> None:
    """Write a share beside the interval, at the left if large."""
    is_left = row["precision_high"] > MOST_LEFT
    place = (row["precision_low" if is_left else "precision_high"], y)
    side, offset = ("right", -4) if is_left else ("left", 4)
    write_beside(ax, percent(row["precision"]), place, (offset, 0), ha=side, va="center")


def _along_the_gene(ax: Axes, places: pd.DataFrame, codons: list[int]) -> None:
    import seaborn as sns

    occlusion = places[places["method"] == "occlusion"]
    wide = occlusion.pivot_table("attribution", "class", "place")
    bar = {"pad": 0.01, "aspect": 12, "label": "fall of logit", "extend": "both"}
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


def _tables(results: Results, digits: int) -> list[str]:
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
    area_section = section(
        "Areas under the curves",
        "Deletion: the smaller, the sooner the class is lost. Insertion: the larger, the sooner it "
        "is known.",
        markdown_table(for_readers(named["areas"], areas), digits),
    )
    recall = {**keys, "n_first": "first places", **interval("recall", "changes found")}
    recall |= {"chance_recall": "chance"}
    recall_section = section(
        "Changes found, by the number of first places",
        "The share of a sequence's changes that they cover.",
        markdown_table(for_readers(named["recall"], recall), digits),
    )
    changes = {**run, "class": "class", "change": "change", "method": "method"}
    changes |= {"model_seed": "seed", "n_documents": "sequences", **interval("found", "found")}
    changes |= {"chance_found": "chance"}
    change_section = section(
        "Each change",
        "In how many of the sequences that have it a place that covers it is among the first.",
        markdown_table(for_readers(named["changes"], changes), digits),
    )
    short = {name: columns[name] for name in (*keys, *SHOWN)}
    return [
        _found_table(named["precision"], short, digits),
        *(first, area_section, recall_section, change_section),
    ]


def _found_table(precision: pd.DataFrame, columns: dict[str, str], digits: int) -> str:
    """Return the section of what the model and the regression find, without random weights."""
    rows = precision[precision["weights"].isin(("trained", "logistic regression"))]
    rows = rows.assign(finds_sites=in_words(rows["finds_sites"]))
    shown = markdown_table(for_readers(rows, columns), digits)
    return section("Sites found", "By the model and by the regression.", shown)


def _named(table: pd.DataFrame) -> pd.DataFrame:
    if "method" not in table:
        return table
    return table.assign(method=[METHODS[method].name for method in table["method"]])
