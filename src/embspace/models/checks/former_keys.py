"""Former keys of config.json, from repositories' code before transformers took the model over.

transformers' class has new names, and would use default values instead of the former keys.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

ROTARY = "rope_parameters"  # in which today's files have `rope_theta` and its like


@dataclass(frozen=True)
class Former:
    """How a config of a `model_type` was written for the makers' own code."""

    code: frozenset[str]
    """Files and classes of `auto_map` replaced by transformers' own class."""
    names: Mapping[str, str] = field(default_factory=dict)
    """Today's names of renamed keys."""
    fixed: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    """Keys unknown to the class, with the values computed by the class."""
    without_effect: Mapping[str, str] = field(default_factory=dict)
    """Keys without meaning beside a second key, by the former name of the second."""
    model_type: str | None = None
    """Today's name of the architecture, if renamed."""
    architectures: Mapping[str, str] = field(default_factory=dict)
    """Today's names of the makers' classes."""


_EPOCH = ("configuration_stablelm_epoch", "modeling_stablelm_epoch")
_NAMES_OF_STABLELM = {"rope_pct": "partial_rotary_factor", "norm_eps": "layer_norm_eps"}
_FIXED_OF_STABLELM = {"rotary_scaling_factor": (1,)}
FORMER: dict[str, Former] = {
    "nomic_bert": Former(
        frozenset(("configuration_hf_nomic_bert", "modeling_hf_nomic_bert")),
        names={
            "n_embd": "hidden_size",
            "n_layer": "num_hidden_layers",
            "n_head": "num_attention_heads",
            "n_inner": "intermediate_size",
            "layer_norm_epsilon": "layer_norm_eps",
            "max_trained_positions": "max_position_embeddings",
            "rotary_emb_base": "rope_theta",
        },
        fixed={
            "activation_function": ("swiglu",),
            "causal": (False,),
            "prenorm": (False,),
            "parallel_block": (False,),
            "parallel_block_tied_norm": (False,),
            "qkv_proj_bias": (False,),
            "mlp_fc1_bias": (False,),
            "mlp_fc2_bias": (False,),
            "rotary_emb_fraction": (1,),
            "rotary_emb_interleaved": (False,),
            "scale_attn_weights": (True,),
            "scale_attn_by_inverse_layer_idx": (False,),
            # How fast, and what is returned.
            "dense_seq_output": (True, False),
            "reorder_and_upcast_attn": (True, False),
            "use_xentropy": (True, False),
            "add_pooling_layer": (True, False),
        },
        # Rotations are stretched in texts that are longer than those of the training.
        without_effect={"rotary_scaling_factor": "max_trained_positions"},
    ),
    "stablelm": Former(frozenset(_EPOCH), _NAMES_OF_STABLELM, _FIXED_OF_STABLELM),
    "stablelm_epoch": Former(
        frozenset(_EPOCH),
        _NAMES_OF_STABLELM,
        _FIXED_OF_STABLELM,
        model_type="stablelm",
        architectures={
            "StableLMEpochModel": "StableLmModel",
            "StableLMEpochForCausalLM": "StableLmForCausalLM",
        },
    ),
    "eurobert": Former(frozenset(("configuration_eurobert", "modeling_eurobert"))),
    "falcon": Former(frozenset(("configuration_falcon", "modeling_falcon"))),
}


def todays_keys(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys of config.json by today's names; further keys stay.

    A former key that contradicts today's key stays as well, for checks to refuse.
    """
    former = FORMER.get(str(content.get("model_type")))
    if former is None:
        return dict(content)
    kept = {key: value for key, value in content.items() if not _is_said(former, key, content)}
    kept |= {
        former.names[key]: kept.pop(key)
        for key in former.names.keys() & kept.keys()
        if _beside(former.names[key], content) is None
    }
    if former.model_type is not None:
        kept["model_type"] = former.model_type
    if isinstance(classes := kept.get("architectures"), list):
        kept["architectures"] = [former.architectures.get(str(name), name) for name in classes]
    if _is_taken_over(former, kept.get("auto_map")):
        del kept["auto_map"]
    return kept


def note_on_code(content: Mapping[str, Any]) -> str:
    """Return a sentence on makers' code that is not run, as transformers has the class; or ""."""
    former = FORMER.get(str(content.get("model_type")))
    if former is None or not _is_taken_over(former, content.get("auto_map")):
        return ""
    return (
        "config.json names code of its makers, which is not run: transformers has taken it over "
        f"as '{former.model_type or content['model_type']}'."
    )


def _is_said(former: Former, key: str, content: Mapping[str, Any]) -> bool:
    """Return whether today's class does what a former key says, without reading the key."""
    value = content[key]
    if key in former.names:
        return value is None or value == _beside(former.names[key], content)
    if key in former.without_effect:
        return value is None or former.without_effect[key] in content
    return key in former.fixed and (value is None or value in former.fixed[key])


def _beside(name: str, content: Mapping[str, Any]) -> Any:
    """Return the value of today's key in a file; None if missing."""
    rotary = content.get(ROTARY)
    value = content.get(name)
    return rotary.get(name) if value is None and isinstance(rotary, Mapping) else value


def _is_taken_over(former: Former, code: Any) -> bool:
    """Return whether transformers has taken over all code that an `auto_map` names."""
    if not isinstance(code, Mapping) or not code:
        return False
    places = [str(place).rsplit("--", 1)[-1] for place in code.values()]
    return all(place.partition(".")[0] in former.code for place in places)
