"""Figure and tables of `measure_head_pairs`: the pairs of tokens that heads relate."""

from textwrap import fill
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat, PositiveInt

from embspace.draw.page.canvas import count, counted, new_figure, say_instead
from embspace.draw.page.looks import BLACK
from embspace.draw.page.markdown import code, markdown_table, section, tables_page
from embspace.draw.page.saving import Results

STAGE = "measure_head_pairs"
FURTHER_RESULTS = ("conf/measure/parameters/head_pairs.yaml",)
SETTINGS = FURTHER_RESULTS[0]
FORMS = {"value_output": "W_VO", "query_key": "W_QK"}
CATEGORIES = {
    "equal": "equal tokens",
    "joined": "join into a word",
    "joined_backwards": "join into a word, second first",
    "inflection": "forms of one verb or adjective",
    "number": "singular and plural",
    "gender": "of one gender",
    "place": "places",
    "country": "of one country",
    "name": "first or family names",
    "person": "names of one person",
    "spelling": "British and American form",
    "dialect": "both British or both American",
    "related": "of one field",
    "part_of_speech": "of one part of speech",
}
SHOWN = ("equal", "inflection", "number", "gender", "place", "related")
N_COLUMNS = 2


def draw_head_pairs(
    results: Results,
    label: str,
    *,
    row_height_mm: PositiveFloat,
    n_cards: PositiveInt,
    n_shown: PositiveInt,
    digits: NonNegativeInt,
) -> tuple[Figure, str]:
    """Draw the atlas of heads: shares of categories above permuted tokens, layers by heads."""
    facts, settings = results["json"], results[SETTINGS]
    n_rows = len(SHOWN) * len(FORMS) // N_COLUMNS
    figure, axes = new_figure(
        n_rows,
        N_COLUMNS,
        height_mm=n_rows * row_height_mm + 30,
        title=_title(results, label),
        subtitle=_subtitle(facts, label, settings),
        stage=STAGE,
    )
    if not facts["known"]:
        say_instead(axes, fill(_why(facts), 30))
        return figure, tables_page(f"Pairs of heads of {label}", STAGE, f"{_why(facts)}.\n")
    shares = results["shares"].query("tokens == 'all'")
    panels = [(category, form) for category in SHOWN for form in FORMS]
    for ax, (category, form) in zip(axes, panels, strict=True):
        rows = shares.query(f"category == '{category}' and form == '{form}'")
        _panel(ax, rows, shares.query(f"category == '{category}'"))
        ax.set_title(f"{FORMS[form]}: {CATEGORIES[category]}")
    return figure, _tables(results, label, n_cards, n_shown, digits)


def _title(results: Results, label: str) -> str:
    """Return a sentence on the heads that hold a category, equal tokens apart."""
    if not results["json"]["known"]:
        return f"Which tokens heads of {label} relate is not known here"
    rows = results["shares"].query("tokens == 'all'")
    n_heads = len(rows[["layer", "head"]].drop_duplicates())
    above = rows[rows["above_null"]]
    parts = []
    for form, name in FORMS.items():
        of_form = above[above["form"] == form]
        equal = of_form[of_form["category"] == "equal"]
        other = of_form[of_form["category"] != "equal"][["layer", "head"]].drop_duplicates()
        parts.append(f"{name} relates equal tokens in {len(equal)}, related words in {len(other)}")
    return f"Beyond chance, among {counted(n_heads, 'head')} of {label}, {'; '.join(parts)}"


def _subtitle(facts: dict[str, Any], label: str, settings: dict[str, Any]) -> str:
    if not facts["known"]:
        return label
    return (
        f"{label} · {counted(facts['n_layers'], 'layer')} of {counted(facts['n_heads'], 'head')}, "
        f"weights alone · {count(settings['n_pairs'])} top pairs of a head among all "
        f"{count(facts['n_ordinary_tokens'])} tokens, exact, equal ones left out but in the panels "
        "of these · color: share of pairs in the category, less that with the tokens of rows "
        f"permuted ({count(settings['n_permutations'])} times) · dot: beyond chance over "
        f"all heads, each category by itself (p ≤ {settings['significance']:g}), "
        f"{100 * settings['least_share']:g} % of the pairs or more, and above "
        f"{settings['n_shuffled_heads']} shuffled heads"
    )


def _why(facts: dict[str, Any]) -> str:
    if facts["architecture"] is None:
        return "Vectors alone have no heads"
    return f"The parameters of {facts['architecture']} are not read here"


def _panel(ax: Axes, rows: pd.DataFrame, of_both: pd.DataFrame) -> None:
    """Draw a category of one form; both forms have the same colors."""
    import seaborn as sns

    excess = rows["share"] - rows["permuted_mean"]
    largest = (of_both["share"] - of_both["permuted_mean"]).max()
    if not (rows["share"] > 0).any():
        say_instead([ax], fill("no pair of any head is in this category", 24))
        return
    grid = rows.assign(excess=excess).pivot(index="layer", columns="head", values="excess")
    sns.heatmap(
        grid,
        ax=ax,
        vmin=0,
        vmax=largest,
        cmap="mako_r",
        linewidths=0.3,
        xticklabels=max(1, grid.shape[1] // 6),
        yticklabels=max(1, grid.shape[0] // 3),
        cbar=False,
    )
    bar = ax.figure.colorbar(ax.collections[0], ax=ax, pad=0.02, aspect=14)
    bar.outline.set_visible(False)
    bar.ax.tick_params(length=1.5)
    heads, layers = [*grid.columns], [*grid.index]
    for row in rows[rows["above_null"]].to_dict("records"):
        is_dark = row["share"] - row["permuted_mean"] > 0.5 * largest
        x, y = heads.index(row["head"]) + 0.5, layers.index(row["layer"]) + 0.5
        ax.plot(x, y, ".", color="white" if is_dark else BLACK, ms=2.5)
    ax.tick_params(length=1.5, rotation=0)
    ax.set(xlabel="head", ylabel="layer")


def _tables(results: Results, label: str, n_cards: int, n_shown: int, digits: int) -> str:
    settings = results[SETTINGS]
    shares = results["shares"].query("tokens == 'all'")
    first = section(
        "Categories",
        f"Means over heads of the share of {settings['n_pairs']} top pairs; `permuted` with the "
        "tokens of rows permuted, `anew` with the same rows and columns joined at random, "
        "`shuffled` of heads whose entries are in random order. A list has so many words that are "
        "tokens. Heads above chance are those with a dot.",
        markdown_table(_by_category(shares, results["json"]["n_words"]), digits),
    )
    cards = section(
        "Strongest heads",
        "Of each category and form the heads with the largest share among those above chance, with "
        "their top pairs: what is read and what is written for it, or what asks and what is asked. "
        "The p-value is over all heads of the form; `anew p` says whether the single pairs belong "
        "together beyond what their words have in common.",
        markdown_table(_cards(results, shares, n_cards, n_shown), digits),
    )
    keys = section(
        "The key alone",
        "Of each layer the head whose term of the key alone, the bias of its queries times the "
        "keys, has the largest share of the variance of scores over keys, and the tokens it raises "
        "most. Every token is a query and a key once, without norm and position.",
        markdown_table(_keys(results, n_shown), digits),
    )
    return tables_page(f"Pairs of heads of {label}", STAGE, first, cards, keys)


def _by_category(shares: pd.DataFrame, n_words: dict[str, int]) -> pd.DataFrame:
    rows = []
    for category, name in CATEGORIES.items():
        for form, shown in FORMS.items():
            some = shares.query(f"category == '{category}' and form == '{form}'")
            if some.empty:
                continue
            rows.append(
                {
                    "category": name,
                    "form": shown,
                    "words": n_words.get(category),
                    "share": some["share"].mean(),
                    "permuted": some["permuted_mean"].mean(),
                    "anew": some["paired_anew_mean"].mean(),
                    "shuffled": some["shuffled_mean"].mean(),
                    "largest share": some["share"].max(),
                    "heads above chance": int(some["above_null"].sum()),
                }
            )
    return pd.DataFrame(rows)


def _cards(results: Results, shares: pd.DataFrame, n_cards: int, n_shown: int) -> pd.DataFrame:
    pairs = results["pairs"].query("tokens == 'all'")
    rows = []
    for category, name in CATEGORIES.items():
        for form, shown in FORMS.items():
            of_form = shares.query(f"category == '{category}' and form == '{form}' and above_null")
            order = ["share", "layer", "head"]
            best = of_form.sort_values(order, ascending=[False, True, True]).head(n_cards)
            for _, row in best.iterrows():
                place = f"form == '{form}' and layer == {row['layer']} and head == {row['head']}"
                listed = pairs.query(place).head(n_shown)
                rows.append(
                    {
                        "category": name,
                        "form": shown,
                        "head": f"{row['layer']}.{row['head']}",
                        "share": row["share"],
                        "p": row["p_value_over_heads"],
                        "anew p": row["paired_anew_p_value"],
                        "top pairs, equal ones left out": ", ".join(
                            f"{code(str(one))} {code(str(other))}"
                            for one, other in zip(listed["row"], listed["column"], strict=True)
                        ),
                    }
                )
    return pd.DataFrame(rows)


def _keys(results: Results, n_shown: int) -> pd.DataFrame:
    profiles = results["profiles"].dropna(subset=["key_only_share"])
    best = profiles.loc[profiles.groupby("layer")["key_only_share"].idxmax()]
    rows = []
    for _, row in best.iterrows():
        place = f"layer == {row['layer']} and head == {row['head']}"
        tokens = results["keys"].query(place)["token"].head(n_shown)
        rows.append(
            {
                "head": f"{row['layer']}.{row['head']}",
                "key-only share": row["key_only_share"],
                "mean-query share": row["mean_query_share"],
                "tokens": " ".join(code(str(token)) for token in tokens),
            }
        )
    return pd.DataFrame(rows)
