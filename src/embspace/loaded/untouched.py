"""Leaves what a user has loaded as it was: attributes, hooks, modes, configs, and tokenizers."""

from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

Restore = Callable[[], None]


@contextmanager
def untouched(module: Any, tokenizer: Any) -> Iterator[None]:
    """Set a torch module and a fast tokenizer back, at the end, to the state at the start.

    For every part of the module, config, attributes and their containers are restored (hooks,
    buffers, and parts that the model itself exchanges, such as BigBird's attention); for the
    tokenizer, attributes, truncation and padding. The numbers of parameters and buffers are not
    copied: reading never writes them.
    """
    with ExitStack() as stack:
        for part in _parts(module):
            stack.callback(_attributes(part))
        stack.callback(_attributes(tokenizer))
        stack.callback(_cutting(tokenizer.backend_tokenizer))
        yield


def _parts(module: Any) -> list[Any]:
    """Return the modules in a module and their configs, without repetition."""
    modules = list(module.modules())
    configs = [part.config for part in modules if hasattr(part, "config")]
    configs = [config for config in configs if hasattr(config, "__dict__")]
    return list({id(part): part for part in (*modules, *configs)}.values())


def _attributes(thing: Any) -> Restore:
    """Return a function that restores an object's attributes and the content of containers.

    A container stays the same object, for the handles of hooks.
    """
    before = dict(vars(thing))
    contents = [(value, value.copy()) for value in before.values() if _is_container(value)]

    def restore() -> None:
        vars(thing).clear()
        vars(thing).update(before)
        for container, content in contents:
            container.clear()
            container.extend(content) if isinstance(content, list) else container.update(content)

    return restore


def _is_container(value: Any) -> bool:
    return type(value) in (dict, list, set, OrderedDict, defaultdict)


def _cutting(backend: Any) -> Restore:
    """Return a function that restores how a tokenizer of the tokenizers library cuts and pads."""
    truncation, padding = backend.truncation, backend.padding

    def restore() -> None:
        backend.no_truncation()
        backend.no_padding()
        if truncation is not None:
            backend.enable_truncation(**truncation)
        if padding is not None:
            backend.enable_padding(**padding)

    return restore
