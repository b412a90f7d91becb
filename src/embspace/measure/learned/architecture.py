"""Stage `measure_architecture`: what a model is built of, and how many parameters each part has.

Luisto's thesis, section 3.3.2. Follows from the config alone: no weights are read.
"""

from collections import Counter
from dataclasses import dataclass
from typing import Any

import pandas as pd

from embspace.errors import within
from embspace.files.scalars import save_scalars
from embspace.files.tables import save_table
from embspace.models.architecture import config_of, empty_reader, load_config
from embspace.models.components import Component, components_of, in_ranges
from embspace.settings.model import describe_model
from embspace.settings.stage import StageConfig, run_stage

CONF = "conf/measure/learned/architecture.yaml"
BYTES = 4  # of a float32
COLUMNS = ["architecture", "depth", "place", "is_leaf", "component", "module", "n_copies"]
COLUMNS += ["n_parameters", "n_weights", "n_biases", "n_parameters_of_all", "share", "megabytes"]
# What transformers' configs have in common, under whatever name their architecture gives it.
SHAPE = {
    "n_layers": "num_hidden_layers",
    "dim": "hidden_size",
    "n_attention_heads": "num_attention_heads",
    "n_tokens": "vocab_size",
    "n_positions": "max_position_embeddings",
}


@dataclass(frozen=True)
class Architecture:
    """The components of the model and of the references, and the sizes of each as a whole."""

    components: pd.DataFrame
    sizes: dict[str, dict[str, float | None]]


def measure_architecture(
    name: str, config: Any, *, references: dict[str, dict[str, Any]], names: dict[str, str]
) -> Architecture:
    """Parameters by component, of the architecture that `config` describes and of `references`.

    One row a component, before its parts: `n_parameters`, of which `n_weights` and `n_biases`,
    are those of one of `n_copies` that are built alike; `n_parameters_of_all`, `share` (of the
    model) and `megabytes` (10^6 bytes, in float32) those of all copies. `depth` says how deep it
    stands in the whole, `place` is one of `embspace.models.components.Place`. The rows with
    `is_leaf` add up to the whole: a parameter that modules share, or layers as in ALBERT, counts
    once. No head that predicts words is in it. The model itself is no reference of its own. Empty
    without a config: vectors alone have no architecture.
    """
    if config is None:
        return Architecture(pd.DataFrame(columns=COLUMNS), {})
    with within(CONF):
        described = {name: config} | {
            reference: config_of(options, f"references.{reference}")
            for reference, options in references.items()
            if reference != name
        }
    found = {key: components_of(empty_reader(each)) for key, each in described.items()}
    tables = [component_rows(key, components, names) for key, components in found.items()]
    return Architecture(
        pd.concat(tables, ignore_index=True),
        {key: sizes(described[key], components[0]) for key, components in found.items()},
    )


def component_rows(
    architecture: str, components: list[Component], names: dict[str, str]
) -> pd.DataFrame:
    """One row a component; where two have one name, they have their paths with it."""
    total = components[0].n_weights + components[0].n_biases
    called = Counter(reader_name(each, names) for each in components)
    rows = []
    for each in components:
        name = reader_name(each, names)
        n_parameters = each.n_weights + each.n_biases
        n_of_all = n_parameters * each.n_copies
        rows.append(
            {
                "architecture": architecture,
                "depth": each.depth,
                "place": each.place,
                "is_leaf": int(each.is_leaf),
                "component": name if called[name] == 1 else f"{name} ({each.path})",
                "module": each.path,
                "n_copies": each.n_copies,
                "n_parameters": n_parameters,
                "n_weights": each.n_weights,
                "n_biases": each.n_biases,
                "n_parameters_of_all": n_of_all,
                "share": n_of_all / total,
                "megabytes": n_of_all * BYTES / 1e6,
            }
        )
    return pd.DataFrame(rows, columns=COLUMNS)


def reader_name(component: Component, names: dict[str, str]) -> str:
    """Return what the thesis would call it, else its own name; with layers where these differ."""
    layers = in_ranges(component.layers)
    which = f"{'layers' if len(component.layers) > 1 else 'layer'} {layers}" if layers else ""
    if component.place in ("model", "layers"):
        return "whole model" if component.place == "model" else "all layers"
    if component.place == "layer":
        return which or "one layer"
    parts = component.path.split(".")
    ends = [".".join(parts[start:]) for start in range(len(parts))]
    own = ends[-1] if ends[-1].isidentifier() else ends[-2]
    name = next((names[end] for end in ends if end in names), own)
    return f"{name}, {which}" if which else name


def sizes(config: Any, whole: Component) -> dict[str, float | None]:
    """Parameters and memory in float32, and the numbers that the config gives; None if it has none.

    `mebibytes` are of 2^20 bytes, what tools often call MB.
    """
    n_parameters = whole.n_weights + whole.n_biases
    return {
        "n_parameters": n_parameters,
        "megabytes": n_parameters * BYTES / 1e6,
        "mebibytes": n_parameters * BYTES / 2**20,
        **{key: getattr(config, attribute, None) for key, attribute in SHAPE.items()},
    }


def main(config: StageConfig) -> None:
    """Load, call, save."""
    name = config.model_name
    own = load_config(name, describe_model(name, config.model))
    found = measure_architecture(name, own, **config.settings)
    save_table(found.components, f"results/architecture/{name}.csv")
    save_scalars(found.sizes, f"results/architecture/{name}.json")


if __name__ == "__main__":
    run_stage(main, measure_architecture)
