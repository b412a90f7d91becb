"""The components of a model with their numbers of parameters, by the structure of the modules."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from typing import Any, Literal

Place = Literal["model", "outside", "layers", "layer", "inside"]


@dataclass(frozen=True)
class Component:
    """A module with parameters, or several that are built alike."""

    path: str
    """The path in the model; `*`, or a range, stands for the numbers of modules that are alike."""
    depth: int
    """0 for the model, plus one for every enclosing component."""
    place: Place
    """The `model`; `layers`, a list; a `layer` of the list; `inside` a layer; or `outside`."""
    layers: tuple[int, ...]
    """The numbers of the layers, from 1; none for a single kind of layer."""
    n_copies: int
    """Number of copies with separate parameters."""
    n_weights: int
    """The parameters of one copy that are no biases; `n_biases` counts the biases."""
    n_biases: int
    is_leaf: bool
    """Whether the component has no parts."""


@dataclass(frozen=True)
class _Node:
    name: str
    is_list: bool
    own: dict[str, tuple[int, ...]]
    """The shapes of the parameters that lie in none of the parts."""
    parts: list["_Node"]
    numbers: tuple[int, ...] = (0,)
    """The numbers of the modules of a list that this node stands for."""

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the shapes of all parameters of one copy."""
        shapes = dict(self.own)
        for part in self.parts:
            for number in part.numbers:
                for name, shape in part.shapes().items():
                    shapes[f"{part.name}.{number}.{name}"] = shape
        return shapes


def components_of(module: Any) -> list[Component]:
    """All components of a model, the whole before the parts, in the order of the modules.

    A parameter shared by several modules counts at the first. Modules of a list are one component,
    with a number of copies, if names and shapes of the parameters are equal. A module with a single
    child and nothing else is one component with the child, under the outer name.
    """
    root = _tree(module, type(module).__name__, set())
    whole = Component(root.name, 0, "model", (), 1, *_counts(root), is_leaf=not root.parts)
    return [whole, *(component for part in _parts(root) for component in _walk(part, "", whole))]


def in_ranges(numbers: tuple[int, ...]) -> str:
    """Ascending numbers in short: 0, 1, 2 and 5 are "0-2,5"."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ",".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else f"{run[0]}" for run in runs)


def _tree(module: Any, name: str, seen: set[int]) -> _Node:
    from torch.nn import ModuleList

    own = {}
    for key, parameter in module.named_parameters(recurse=False):
        if id(parameter) not in seen:
            seen.add(id(parameter))
            own[key] = tuple(parameter.shape)
    parts = [_tree(child, key, seen) for key, child in module.named_children()]
    parts = [part for part in parts if part.own or part.parts]
    is_list = isinstance(module, ModuleList)
    return _Node(name, is_list, own, _alike(parts) if is_list else parts)


def _alike(parts: list[_Node]) -> list[_Node]:
    """Return one node for all parts of a list with the same structure."""
    groups: dict[Any, list[_Node]] = {}
    for part in parts:
        groups.setdefault(tuple(part.shapes().items()), []).append(part)
    nodes = []
    for same in groups.values():
        numbers = tuple(int(part.name) for part in same)
        name = "*" if len(groups) == 1 else in_ranges(numbers)
        nodes.append(_Node(name, same[0].is_list, same[0].own, same[0].parts, numbers))
    return nodes


def _walk(node: _Node, path_above: str, above: Component) -> Iterator[Component]:
    path = f"{path_above}.{node.name}".removeprefix(".")
    inner, path_inside = node, path
    while (only := _only_part(inner, above.place)) is not None:
        inner, path_inside = only, f"{path_inside}.{only.name}"
    place = _place(inner, above.place)
    layers = _layers(node) if place == "layer" else above.layers
    n_copies = above.n_copies * len(node.numbers)
    counts = _counts(inner)
    component = Component(
        path, above.depth + 1, place, layers, n_copies, *counts, is_leaf=not inner.parts
    )
    yield component
    for part in _parts(inner):
        yield from _walk(part, path_inside, component)


def _only_part(node: _Node, above: Place) -> _Node | None:
    """The part that is all of a node, if any.

    The list of layers stays, whatever the number of layers.
    """
    if node.own or len(node.parts) != 1 or len(node.parts[0].numbers) > 1:
        return None
    is_layers = node.is_list and _place(node, above) == "layers"
    return None if is_layers else node.parts[0]


def _place(node: _Node, above: Place) -> Place:
    if above == "layers":
        return "layer"
    if above in ("layer", "inside"):
        return "inside"
    return "layers" if node.is_list else "outside"


def _layers(node: _Node) -> tuple[int, ...]:
    return () if node.name == "*" else tuple(number + 1 for number in node.numbers)


def _parts(node: _Node) -> list[_Node]:
    """Return the parts of a node; a parameter beside modules is a part, too."""
    if not node.parts:
        return []
    return [_Node(key, False, {key: shape}, []) for key, shape in node.own.items()] + node.parts


def _counts(node: _Node) -> tuple[int, int]:
    """Return the numbers of weights and biases of one copy."""
    sizes = {name: prod(shape) for name, shape in node.shapes().items()}
    n_biases = sum(size for name, size in sizes.items() if "bias" in name.rpartition(".")[2])
    return sum(sizes.values()) - n_biases, n_biases
