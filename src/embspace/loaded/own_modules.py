"""The modules of a sentence-transformers object, run on states that are already computed."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from embspace.models.sentence.modules import SentenceModules

FIRST = "Transformer"  # the class of the first module, whose states these are
KNOWN = {"Pooling", "Dense", "LayerNorm", "Normalize", "Dropout"}  # classes of those behind


@dataclass(frozen=True, kw_only=True)
class OwnModules(SentenceModules):
    """The modules after the transformer, as loaded by the user."""

    parts: tuple[Any, ...]
    device: str
    dtype: Any
    """The number format of the modules' computations."""

    def vector(
        self, states: Float[np.ndarray, "token dim"], n_prompt: int
    ) -> Float[np.ndarray, " out"]:
        """Return the modules' vector of a window; the first `n_prompt` tokens are the prompt's.

        The result is the object's own vector of the text in a batch of one, cut to `dimension`
        numbers.
        """
        import torch

        tokens = torch.from_numpy(np.ascontiguousarray(states)).to(self.device, self.dtype)
        mask = torch.ones((1, len(states)), dtype=torch.int64, device=self.device)
        features: dict[str, Any] = {"token_embeddings": tokens[None], "attention_mask": mask}
        if n_prompt:
            features["prompt_length"] = min(n_prompt, len(states) - 1)
        with torch.inference_mode():
            for part in self.parts:
                features = part(features)
        vector: np.ndarray = features["sentence_embedding"][0].float().cpu().numpy()
        return vector[: self.dimension]


def own_modules(encoder: Any, module: Any) -> OwnModules | None:
    """Return the modules after the transformer `module` of an object; None for other kinds.

    None also if the object does not say how many numbers its vectors have.
    """
    first, *parts = encoder.children()
    kinds = {type(part).__name__ for part in parts}
    is_first = type(first).__name__ == FIRST and any(part is module for part in first.modules())
    if not (is_first and parts and type(parts[0]).__name__ == "Pooling" and kinds <= KNOWN):
        return None
    # Older versions of the library have no such method.
    dimension = getattr(encoder, "get_embedding_dimension", lambda: None)()
    if dimension is None:
        return None
    weight = next(module.parameters())
    name = encoder.default_prompt_name
    return OwnModules(
        poolings=(),
        includes_prompt=True,  # the pooling leaves it out itself
        steps=(),
        dimension=dimension,
        length=encoder.max_seq_length,
        prompt="" if name is None else encoder.prompts[name],
        is_lowered=bool(getattr(first, "do_lower_case", False)),
        parts=tuple(parts),
        device=str(weight.device),
        dtype=weight.dtype,
    )
