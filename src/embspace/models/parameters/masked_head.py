"""Loads the head of a masked language model, from the last layer to the vocabulary."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from embspace.errors import InputError, within
from embspace.models.parameters.arrays import float_array, optional_array
from embspace.models.parameters.checkpoint import checkpoint_tensors
from embspace.settings.model import MaskedHead, Network, model_file


@dataclass(frozen=True, eq=False)
class HeadTransform:
    """The head of a masked language model: scores(h) = output @ norm(activation(dense @ h))."""

    dense: Float[np.ndarray, "width dim"]
    dense_bias: Float[np.ndarray, " width"] | None
    activation: str
    """As transformers calls it."""
    scale: Float[np.ndarray, " width"]
    shift: Float[np.ndarray, " width"] | None
    epsilon: float
    """The small number under the root of the norm."""
    output: Float[np.ndarray, "token width"]
    """The rows of the tokens; `width` is the embedding size, of ALBERT less than the model's."""
    bias: Float[np.ndarray, " token"] | None

    def __call__(self, x: Float[np.ndarray, "row dim"]) -> Float[np.ndarray, "row width"]:
        """Return the states after the head, to be compared with the tokens by `output`."""
        import torch
        from transformers.activations import ACT2FN

        made = x @ self.dense.T
        if self.dense_bias is not None:
            made = made + self.dense_bias
        active = ACT2FN[self.activation](torch.from_numpy(np.ascontiguousarray(made))).numpy()
        centered = active - active.mean(axis=1, keepdims=True)
        spread = np.sqrt(np.square(centered).mean(axis=1, keepdims=True) + self.epsilon)
        normed = centered / spread * self.scale
        read: np.ndarray = normed if self.shift is None else normed + self.shift
        return read.astype(np.float32)


def read_masked_head(
    name: str, model: Network, head: MaskedHead, config: Any, table: np.ndarray
) -> HeadTransform:
    """The head named in a model's file, from the checkpoint; `table` is the output matrix.

    Raises:
        InputError: if the checkpoint lacks a tensor, or a shape differs from the model's.
    """
    dense, norm = head.dense, head.norm
    wanted = [f"{dense}.weight", f"{norm}.weight", *([head.bias] if head.bias else [])]
    optional = [f"{dense}.bias", f"{norm}.bias"]
    tensors = checkpoint_tensors(name, model, wanted, optional)
    bias = tensors[head.bias] if head.bias else None
    weight, scale = tensors[f"{dense}.weight"], tensors[f"{norm}.weight"]
    with within(model_file(name)):
        _check(weight, scale, head.activation, (table.shape[1], config.hidden_size))
    return HeadTransform(
        dense=weight,
        dense_bias=tensors.get(f"{dense}.bias"),
        activation=head.activation,
        scale=scale,
        shift=tensors.get(f"{norm}.bias"),
        epsilon=_epsilon(config),
        output=table,
        bias=None if bias is None else bias[: len(table)],
    )


def head_of_module(module: Any, table: np.ndarray) -> HeadTransform | None:
    """Return the masked head on top of a module of transformers; None without a head.

    The head is the norm outside of the base model and the linear map in front of it.
    """
    import torch

    base, decoder = module.base_model, module.get_output_embeddings()
    inner = {id(part) for part in base.modules()}
    outer = [part for part in module.modules() if id(part) not in inner and part is not decoder]
    norms = [part for part in outer if isinstance(part, torch.nn.LayerNorm)]
    if base is module or decoder is None or len(norms) != 1:
        return None
    width = len(norms[0].weight)
    linear = [part for part in outer if isinstance(part, torch.nn.Linear)]
    dense = next((layer for layer in linear if len(layer.weight) == width), None)
    if dense is None:
        return None
    return HeadTransform(
        dense=float_array(dense.weight),
        dense_bias=optional_array(dense.bias),
        activation=activation_of(module.config),
        scale=float_array(norms[0].weight),
        shift=optional_array(norms[0].bias),
        epsilon=float(norms[0].eps),
        output=table,
        bias=None if decoder.bias is None else float_array(decoder.bias)[: len(table)],
    )


def _check(dense: Any, scale: Any, activation: str, expected: tuple[int, int]) -> None:
    """Stop unless the shapes of a head fit the model and the activation is known.

    Raises:
        InputError: naming what does not fit.
    """
    from transformers.activations import ACT2FN

    if dense.shape != expected or scale.shape != expected[:1]:
        raise InputError(
            f"key 'masked_head': found a map of {dense.shape} and a norm of {scale.shape}, "
            f"allowed: {expected} and {expected[:1]}"
        )
    if activation not in ACT2FN:
        raise InputError(f"key 'masked_head.activation': found {activation!r}, not known")


def activation_of(config: Any) -> str:
    """Return the name of the nonlinearity of a model's head."""
    # ModernBERT's head has one of its own, DistilBERT's blocks call theirs otherwise.
    names = ("classifier_activation", "hidden_act", "activation")
    return str(next(getattr(config, name) for name in names if hasattr(config, name)))


def _epsilon(config: Any) -> float:
    names = ("layer_norm_eps", "norm_eps", "layer_norm_epsilon")
    return float(next((getattr(config, name) for name in names if hasattr(config, name)), 1e-12))
