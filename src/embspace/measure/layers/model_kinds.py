"""Tells encoders from decoders, and where a run's language model ends."""

import pandas as pd

from embspace.settings.run import CausalLanguageModeling, MaskedLanguageModeling, Run

ENCODER, DECODER = "encoder", "decoder"


def kind_of_class(name: str) -> str:
    """Return `encoder` for a class of transformers that guesses hidden tokens, else `decoder`."""
    from transformers.models.auto import modeling_auto

    types = {class_name: kind for kind, class_name in modeling_auto.MODEL_MAPPING_NAMES.items()}
    masked = modeling_auto.MODEL_FOR_MASKED_LM_MAPPING_NAMES
    return ENCODER if types.get(name) in masked else DECODER


def kind_of_run(run: Run) -> str:
    """Return the kind of a run's first phase; "" if that phase trains no language model."""
    phase = next(iter(run.phases.values()))
    if isinstance(phase, MaskedLanguageModeling):
        return ENCODER
    return DECODER if isinstance(phase, CausalLanguageModeling) else ""


def first_phase_rows(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of a run's first phase, which learns the language, for unchanged tokens.

    `table` comes from `measure_dynamics`, with phases in the order of training.
    """
    table = table[table["change"] == "as_is"]
    return table[table["phase"] == table["phase"].iloc[0]] if len(table) else table


def last_checkpoint(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the last step."""
    return table[table["step"] == table["step"].max()]
