"""Small tables of what a run of sequences leaves."""

from itertools import product
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from embspace.files.tables import Tables

CLASSES = ("alpha", "beta", "gh")
CODONS = {"alpha": 14, "beta": 6}  # of a gene whose k-mers begin at codons 1, 4, 7, …
N_PLACES, N_LAYERS = 12, 3
METHODS = ("occlusion", "attention_rollout", "gradient_x_input", "last_attention")
MODELS = (("trained", 0), ("trained", 1), ("random weights", 0))


def bounded(name: str, value: float) -> dict[str, float]:
    return {name: value, f"{name}_low": value - 0.1, f"{name}_high": value + 0.1}


def class_flow() -> Tables:
    separation = [
        {
            "weights": weights,
            "model_seed": seed,
            "layer": layer,
            "n": 9,
            "n_documents": 6,
            "n_classes": 3,
            **(bounded("silhouette", 0.2 * layer + 0.05 * seed) if layer else {}),
            **(bounded("null_silhouette", -0.2) if layer else {}),
            **(bounded("nearest_in_class", 0.3 * layer) if layer else {}),
            **(bounded("null_nearest_in_class", 0.2) if layer else {}),
            "silhouette_p_value": 0.01,
            "largest_random_silhouette": 0.1,
            "is_parted": layer > 1,
        }
        for (weights, seed), layer in product([*MODELS, ("pretrained", 0)], range(N_LAYERS + 1))
    ]
    maps = [
        {"layer": layer, "text": text, "document": text, "class": CLASSES[text % 3]}
        | {f"{method}_{axis}": float(text % (2 + axis)) for method in ("pca", "tsne")
           for axis in (1, 2)}
        for layer, text in product((1, 3), range(9))
    ]  # fmt: skip
    quality = [
        {"layer": layer, "method": method, "n": 9, "explained_variance_1": 0.5,
         "explained_variance_2": 0.25, "trustworthiness": 0.9}
        for layer, method in product((1, 3), ("pca", "tsne"))
    ]  # fmt: skip
    return {
        "separation": pd.DataFrame(separation),
        "maps": pd.DataFrame(maps),
        "quality": pd.DataFrame(quality),
    }


def places() -> list[dict[str, int]]:
    return [
        {"place": place, "first_codon": 3 * place + 1, "last_codon": 3 * place + 4}
        for place in range(N_PLACES)
    ]


def sequence_attention() -> Tables:
    readers = ("first token", "k-mers")
    areas = ("defining sites of any class", "defining sites of its class")
    heads = product(MODELS, range(1, N_LAYERS + 1), (1, 2), readers, areas)
    regions = [
        {
            "weights": weights,
            "model_seed": seed,
            "layer": layer,
            "head": head,
            "reader": reader,
            "region": region,
            "n_documents": 6,
            **bounded("ratio", 2.0 * head if weights == "trained" else 1.0),
            "largest_random_ratio": 1.0,
            "looks_there": weights == "trained" and head == 1,
            "smallest_ratio_of_random_heads": 0.5,
            "largest_ratio_of_random_heads": 1.0,
            "above_random_heads": weights == "trained" and head == 1 and layer > 1,
            "below_random_heads": weights == "trained" and head == 2 and layer > 2,
        }
        for (weights, seed), layer, head, reader, region in heads
    ]
    quantities = ("row_entropy", "value_entropy", "cone_index", "mean_cosine")
    layers = [
        {"weights": weights, "model_seed": seed, "layer": layer, "quantity": quantity,
         "n_documents": 6, **bounded("value", layer + seed)}
        for (weights, seed), quantity, layer in product(MODELS, quantities, range(1, N_LAYERS + 1))
    ]  # fmt: skip
    along = [
        {"layer": layer, "reader": reader, **place, "n_changes": 0, "attention": 0.1 * layer}
        for layer, reader, place in product(range(1, N_LAYERS + 1), readers, places())
    ]
    return {
        "regions": pd.DataFrame(regions),
        "layers": pd.DataFrame(layers),
        "places": pd.DataFrame(along),
        "attribution/changes": attribution()["changes"],
    }


def attribution() -> Tables:
    models = [*product(MODELS, METHODS), (("logistic regression", None), "logistic_regression")]
    keys = [{"weights": w, "model_seed": seed, "method": m} for (w, seed), m in models]
    shared = {"n_documents": 6, "n_places": N_PLACES, "chance_precision": 0.1}
    precision = [
        {**key, **shared, "chance_any_class_precision": 0.2, **bounded("precision", 0.5)}
        | bounded("any_class_precision", 0.7) | bounded("precision_less_regression", -0.2)
        | {"largest_random_precision": 0.2, "largest_random_any_class_precision": 0.3}
        | {"finds_sites": True if key["weights"] == "trained" else None}
        for key in keys
    ]  # fmt: skip
    recall = [{**key, "n_first": 2, **bounded("recall", 0.5), "chance_recall": 0.1} for key in keys]
    changes = [
        {**key, "class": name, "change": f"A{codon}B", "codon": codon, "n_documents": 2,
         **bounded("found", 0.5), "chance_found": 0.1}
        for key, (name, codon) in product(keys[:2], CODONS.items())
    ]  # fmt: skip
    orders = (*METHODS, "logistic_regression", "defining_sites", "random_order")
    every = product((0, 1), orders, ("deletion", "insertion"))
    curve_keys = [{"model_seed": seed, "method": m, "curve": curve} for seed, m, curve in every]
    curves = [
        {**key, "n_hidden": n, "n_documents": 6, **bounded("probability", 1 - n / N_PLACES)}
        for key, n in product(curve_keys, (0, 1, 4, N_PLACES))
    ]
    areas = [
        {**key, **bounded("area", 0.3), **bounded("area_less_random", -0.2)}
        | bounded("area_less_regression", 0.0)
        for key in curve_keys
    ]
    along = [
        {"method": method, "class": name, **place, "n_documents": 2, "attribution": 0.5,
         "n_changes": int(place["first_codon"] <= CODONS.get(name, 0) <= place["last_codon"])}
        for method, name, place in product(METHODS, CLASSES, places())
    ]  # fmt: skip
    named = (precision, recall, changes, curves, areas, along)
    names = ("precision", "recall", "changes", "curves", "areas", "places")
    return {name: pd.DataFrame(rows) for name, rows in zip(names, named, strict=True)}


def stitching() -> Tables:
    pairs, layers = [], []
    for upper, lower in product((0, 1), (0, 1)):
        seeds = {"upper_seed": upper, "lower_seed": lower, "lower_model": None}
        sizes = {"n": 9, "n_documents": 6, "n_classes": 3}
        pair: dict[str, Any] = {**seeds, **sizes, "chance": 0.25, "best_layer": 2}
        pair |= {"is_control": upper == lower, "identity_accuracy": 0.4}
        pair |= {**bounded("unstitched_accuracy", 0.9), **bounded("accuracy", 0.6 + 0.1 * upper)}
        pair |= {**bounded("recovered", 0.5), "explained_share": 0.4}
        pair |= {"shuffled_explained_share": 0.1, **bounded("frequent_accuracy", 0.3)}
        if upper != lower:
            pair |= {"trained_accuracy": 0.8, "null_accuracy": 0.2, "null_accuracy_largest": 0.3}
            pair |= {"null_accuracy_largest_of_all_pairs": 0.3, "recovers_most": "undecided"}
            pair["above_random"] = "matches" if upper else "undecided"
        pairs.append(pair)
        kinds = {"vocabulary": 0.3, "identity": 0.2}
        if upper != lower:
            kinds |= {"trained": 0.5, "turned": 0.1, "shuffled tokens": 0.2}
        layers += [
            {**seeds, "layer": layer, "stitch": kind, **sizes,
             **bounded("accuracy", accuracy + 0.1 * layer),
             **(bounded("less_vocabulary", 0.1) if kind in ("identity", "trained") else {})}
            for (kind, accuracy), layer in product(kinds.items(), range(N_LAYERS + 1))
        ]  # fmt: skip
    claims = [
        {"claim": "better than random", "seed": seed, "n_pairs": 1, "n_matching": seed,
         "n_differing": 0, "holds_if": "above", "verdict": ("undecided", "matches")[seed]}
        for seed in (0, 1)
    ]  # fmt: skip
    return {
        "layers": pd.DataFrame(layers),
        "pairs": pd.DataFrame(pairs),
        "claims": pd.DataFrame(claims),
    }


def title_of(ax: Axes) -> str:
    return ax.get_title("left") or ax.get_title()


def joined_runs(tables: Tables, *runs: str) -> Tables:
    """Return the tables as `load_results` gives them for all runs."""
    return {
        name: pd.concat([table.assign(run=run) for run in runs], ignore_index=True)
        for name, table in tables.items()
    }


def empty(tables: Tables) -> Tables:
    return {name: table.iloc[:0] for name, table in tables.items()}
