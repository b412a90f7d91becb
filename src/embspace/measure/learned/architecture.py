"""Stage `measure_architecture`: the parts of a model, with their numbers of parameters.

Luisto's thesis, section 3.3.2. Follows from the config alone: no weights are read.
"""

from collections import Counter
from typing import Any

import pandas as pd

from embspace.analysis import Analysis, Outcome, Source, Table
from embspace.errors import within
from embspace.models.architecture import config_of, empty_reader, load_config
from embspace.models.components import Component, components_of, in_ranges
from embspace.settings.stage import run_stage

CONF = "conf/measure/learned/architecture.yaml"
BYTES = 4  # of a float32
# What transformers' configs have in common, under whatever name their architecture gives it.
SHAPE = {
    "n_layers": "num_hidden_layers",
    "dim": "hidden_size",
    "n_attention_heads": "num_attention_heads",
    "n_tokens": "vocab_size",
    "n_positions": "max_position_embeddings",
}


ARCHITECTURE = Analysis(
    noun="architecture",
    question="What is the model built of, and where are its parameters? Section 3.3.2",
    reads={"name": Source(lambda name, _: name), "config": Source(load_config)},
    tables={
        "csv": Table(
            {
                "architecture": "row",
                "depth": "count",
                "place": "name",
                "is_leaf": "count",
                "component": "name",
                "module": "row",
                "n_copies": ("count", "copies"),
                "n_parameters": ("count", "parameters of one"),
                "n_weights": ("count", "weights"),
                "n_biases": ("count", "biases"),
                "n_parameters_of_all": ("count", "parameters of all copies"),
                "share": ("share", "share in %"),
                "megabytes": ("moment", "MB"),
            }
        )
    },
    # Of the model and of each reference as a whole.
    scalars={"n_*": "count", "dim": "count", "megabytes": "moment", "mebibytes": "moment"},
)


def measure_architecture(
    name: str, config: Any, *, references: dict[str, dict[str, Any]], names: dict[str, str]
) -> Outcome:
    """Return parameters by component, for the architectures of `config` and `references`.

    One row per component, followed by its parts. `n_parameters`, the sum of `n_weights` and
    `n_biases`, is for one of `n_copies` of equal build; `n_parameters_of_all`, `share` (of the
    model) and `megabytes` (10^6 bytes, in float32) are for all copies. `depth` is the depth in the
    whole, `place` a value of `embspace.models.components.Place`. The rows with `is_leaf` add up to
    the whole: a parameter shared by modules, or by layers as in ALBERT, counts once. Heads that
    predict words are left out. The model is not among its references. Empty without a config:
    vectors alone have no architecture.
    """
    if config is None:
        return ARCHITECTURE.empty()
    with within(CONF):
        described = {name: config} | {
            reference: config_of(options, f"references.{reference}")
            for reference, options in references.items()
            if reference != name
        }
    parts = {key: components_of(empty_reader(whole)) for key, whole in described.items()}
    tables = [component_rows(key, components, names) for key, components in parts.items()]
    return {
        "csv": pd.concat(tables, ignore_index=True),
        "json": {key: sizes(described[key], components[0]) for key, components in parts.items()},
    }


def component_rows(
    architecture: str, components: list[Component], names: dict[str, str]
) -> pd.DataFrame:
    """Return a row per component; components of equal name also have their paths in the name."""
    total = components[0].n_weights + components[0].n_biases
    called = Counter(reader_name(component, names) for component in components)
    rows = []
    for component in components:
        name = reader_name(component, names)
        n_parameters = component.n_weights + component.n_biases
        n_of_all = n_parameters * component.n_copies
        rows.append(
            {
                "architecture": architecture,
                "depth": component.depth,
                "place": component.place,
                "is_leaf": int(component.is_leaf),
                "component": name if called[name] == 1 else f"{name} ({component.path})",
                "module": component.path,
                "n_copies": component.n_copies,
                "n_parameters": n_parameters,
                "n_weights": component.n_weights,
                "n_biases": component.n_biases,
                "n_parameters_of_all": n_of_all,
                "share": n_of_all / total,
                "megabytes": n_of_all * BYTES / 1e6,
            }
        )
    return ARCHITECTURE.tables["csv"].of(rows)


def reader_name(component: Component, names: dict[str, str]) -> str:
    """Return the thesis's name of a component, else its own; with its layers, if it has any."""
    layers = in_ranges(component.layers)
    layer_label = f"{'layers' if len(component.layers) > 1 else 'layer'} {layers}" if layers else ""
    if component.place in ("model", "layers"):
        return "whole model" if component.place == "model" else "all layers"
    if component.place == "layer":
        return layer_label or "one layer"
    parts = component.path.split(".")
    ends = [".".join(parts[start:]) for start in range(len(parts))]
    own = ends[-1] if ends[-1].isidentifier() else ends[-2]
    name = next((names[end] for end in ends if end in names), own)
    return f"{name}, {layer_label}" if layer_label else name


def sizes(config: Any, whole: Component) -> dict[str, float | None]:
    """Return parameters, memory in float32, and sizes from the config; None for a missing size.

    `mebibytes` are of 2^20 bytes, which tools often call MB.
    """
    n_parameters = whole.n_weights + whole.n_biases
    return {
        "n_parameters": n_parameters,
        "megabytes": n_parameters * BYTES / 1e6,
        "mebibytes": n_parameters * BYTES / 2**20,
        **{key: getattr(config, attribute, None) for key, attribute in SHAPE.items()},
    }


main = ARCHITECTURE.main(measure_architecture)

if __name__ == "__main__":
    run_stage(main, measure_architecture)
