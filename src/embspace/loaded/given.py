"""Models that a user has loaded already, with transformers or sentence-transformers."""

import hashlib
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from jaxtyping import Float

from embspace.errors import InputError
from embspace.loaded.model import LoadedModel
from embspace.loaded.untouched import untouched
from embspace.settings.model import Network, VectorsModel, describe_model
from embspace.settings.own import own_description

if TYPE_CHECKING:
    from embspace.models.sentence.modules import SentenceModules


N_TOKENS = 4  # of a text by which modules are checked
TOLERANCE = 1e-3  # of the largest number of a vector, in float32; half precision has 1e-2


class Known(NamedTuple):
    """The description of a user's module, with the tokenizer and the form of the module."""

    form: object
    tokenizer: Any
    description: Network


_KNOWN: "WeakKeyDictionary[Any, Known]" = WeakKeyDictionary()
# By sentence-transformers' objects: their form, and whether their modules make what they do.
_CHECKED: "WeakKeyDictionary[Any, tuple[object, bool]]" = WeakKeyDictionary()


def is_loaded(model: object) -> bool:
    """Return whether something is a model in memory, and not a name or a folder."""
    return _is_module(model) or _is_sentence_transformer(model)


def take(model: Any, tokenizer: Any | None) -> LoadedModel:
    """Return a transformers model with its tokenizer, or a sentence-transformers object, as loaded.

    The user's object stays unchanged: weights, attributes, hooks, modes, configs. States are
    computed in the object's number format and returned as float32.

    Raises:
        InputError: if the tokenizer is missing, has ids without a row in the model, or is not fast.
    """
    encoder = None
    if _is_sentence_transformer(model):
        encoder, model, own = model, _transformer_of(model), model.tokenizer
        tokenizer = own if tokenizer is None else tokenizer
    if tokenizer is None:
        raise InputError(
            "tokenizer: found none, which texts need beside a loaded model; pass "
            "tokenizer=AutoTokenizer.from_pretrained(...)"
        )
    if not getattr(tokenizer, "is_fast", False):
        raise InputError(
            f"tokenizer: found {type(tokenizer).__name__}, allowed: a fast tokenizer of "
            "transformers, which says where in a text each token is"
        )
    loaded = _described(_reading(model), tokenizer, encoder)
    return loaded if encoder is None else replace(loaded, modules=_checked_modules(encoder, loaded))


@contextmanager
def reading(loaded: LoadedModel) -> Iterator[None]:
    """Let a model read for a while by its description's rules; then restore a user's model."""
    if loaded.source is not None:
        yield
        return
    from embspace.models.weights import ruled

    whole = loaded.module if loaded.encoder is None else loaded.encoder
    with _in_evaluation(whole, loaded.module, loaded.tokenizer):
        ruled(loaded.module, loaded.description)
        yield


@contextmanager
def _in_evaluation(whole: Any, module: Any, tokenizer: Any) -> Iterator[None]:
    """Switch dropout off for a while, with a warning if dropout was on; nothing stays changed.

    Dropout is on in a transformer in training. The `whole` around the transformer is a fresh object
    in the library's own mode, which `encode` switches off silently.
    """
    with untouched(whole, tokenizer):
        if any(part.training for part in module.modules()):
            words = "the model is in training mode; it is read without dropout"
            warnings.warn(words, stacklevel=3)
        whole.eval()
        yield


def _checked_modules(encoder: Any, loaded: LoadedModel) -> "SentenceModules | None":
    """Return an object's modules, if their vector of a text equals that of `encode`; else None."""
    from embspace.loaded.own_modules import own_modules
    from embspace.models.sentence.vectors import sentence_vectors

    modules = own_modules(encoder, loaded.module)
    if modules is None:
        return None
    parts = [*map(repr, modules.parts)]
    said = (modules.length, modules.prompt, modules.is_lowered, modules.dimension, parts)
    form = (said, str(modules.dtype), loaded.description)
    if (kept := _CHECKED.get(encoder)) and kept[0] == form:
        return modules if kept[1] else None
    text, tokenizer = _text_of(loaded.tokenizer), loaded.tokenizer
    with reading(loaded):
        expected = encoded_by(encoder, [text])
        made = sentence_vectors(
            loaded.name, loaded.description, loaded.module, modules, tokenizer, [text]
        )
    tolerance = TOLERANCE if "32" in str(modules.dtype) else 10 * TOLERANCE
    is_same = made.shape == expected.shape and np.allclose(
        made, expected, atol=tolerance * np.abs(expected).max()
    )
    _CHECKED[encoder] = (form, is_same)
    return modules if is_same else None


def _text_of(tokenizer: Any) -> str:
    """Return a short text without special tokens."""
    special = {*tokenizer.all_special_ids}
    ids = [number for number in range(len(tokenizer)) if number not in special]
    return str(tokenizer.decode(ids[-N_TOKENS:]))


def encoded_by(encoder: Any, texts: Sequence[str]) -> Float[np.ndarray, "text dim"]:
    """Return a sentence-transformers object's vectors of texts; of a long text, of its start."""
    if not len(texts):  # of none, `encode` gives no matrix
        return np.empty((0, 0), np.float32)
    vectors = encoder.encode(list(texts), show_progress_bar=False, convert_to_numpy=True)
    return np.asarray(vectors, np.float32)


def _described(module: Any, tokenizer: Any, encoder: Any) -> LoadedModel:
    """Describe how to read a module, as for a folder; the class or folder gives the name."""
    from embspace.models.describe import describe_module
    from embspace.models.encoder import device_of

    name = str(getattr(module.config, "_name_or_path", "") or type(module).__name__)
    device, form = device_of(module), _form(module, tokenizer)
    if (kept := _KNOWN.get(module)) and kept.form == form and kept.tokenizer is tokenizer:
        return LoadedModel(
            name, kept.description, module, tokenizer, encoder=encoder, device=device
        )
    with _in_evaluation(module, module, tokenizer):
        findings = describe_module(module, tokenizer)
    if findings.questions:
        listed = "; ".join(f"{key}: {why}" for key, why in findings.questions.items())
        raise InputError(f"{name}: not all that is needed can be found in the model: {listed}")
    label = Path(name).name.strip(".") or type(module).__name__
    said = own_description(label, {"source": "path", "path": name})
    description = describe_model(name, said | findings.keys)
    assert not isinstance(description, VectorsModel)  # the source is a path
    _KNOWN[module] = Known(form, tokenizer, description)
    return LoadedModel(name, description, module, tokenizer, encoder=encoder, device=device)


def _form(module: Any, tokenizer: Any) -> object:
    """Return what decides how a module is read; training changes only its numbers."""
    shapes = [(path, tensor.shape, tensor.dtype) for path, tensor in module.named_parameters()]
    said = (tokenizer.model_max_length, tokenizer.special_tokens_map, tokenizer.model_input_names)
    cut = hashlib.sha256(tokenizer.backend_tokenizer.to_str().encode()).hexdigest()
    return module.config.to_dict(), shapes, module.training, len(tokenizer), said, cut


def _reading(module: Any) -> Any:
    """Return the part of a module that reads texts, without a head."""
    from embspace.models.architecture import reading_part

    return reading_part(getattr(module, "base_model", module))


def _is_module(model: object) -> bool:
    return hasattr(model, "get_input_embeddings") and hasattr(model, "config")


def _is_sentence_transformer(model: object) -> bool:
    return hasattr(model, "encode") and hasattr(model, "tokenizer") and hasattr(model, "modules")


def _transformer_of(model: Any) -> Any:
    """Return the transformers model inside a sentence-transformers object.

    Raises:
        InputError: if the object has none.
    """
    for module in model.modules():
        if _is_module(module):
            return module
    raise InputError(f"model: found {type(model).__name__} without a transformers model inside")
