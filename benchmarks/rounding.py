"""`make rounding`: what rounding weights to 4 bits changes in the geometry of `minilm`.

SmolLM2 is at hand only as its GGUF file, whose linear maps are in Q4_1 and whose table of tokens
is in Q8_0. How far its figures may be off shows in `minilm`, which is there whole and is rounded
here in the same way. Writes benchmarks/rounding.md.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Float

from embspace.draw.page.markdown import markdown_table
from embspace.files.atomic import writing
from embspace.files.rows import load_rows
from embspace.geometry.measures.declaration import value_of
from embspace.geometry.measures.mean_direction import mean_cosine
from embspace.geometry.measures.spectral_measures import participation_ratio
from embspace.geometry.measures.two_nearest import two_nn
from embspace.geometry.pairs.directions import unit_rows
from embspace.models.encoder import batches_by_length, encode
from embspace.models.tokenizer import load_tokenizer
from embspace.models.weights import load_model
from embspace.models.windows import Window, cut_windows, largest_window
from embspace.settings.model import Network, describe_model
from embspace.settings.schema import read_yaml

PAGE = Path("benchmarks/rounding.md")
MODEL, CORPUS = "minilm", "posts"
TEXTS = Path(f"data/prepared/texts/{CORPUS}.parquet")
TOKENS_PER_BATCH = 4096
MEASURES: dict[str, Callable[[Any], Any]] = {
    "mean_cosine": mean_cosine,
    "participation_ratio": participation_ratio,
}
MEASURES |= {"two_nn": two_nn}
States = Float[np.ndarray, "layer token dim"]


def rounded(weight: Float[np.ndarray, "row column"], kind: str) -> Float[np.ndarray, "row column"]:
    """Return a matrix after one way through the rounding of a GGUF file, such as Q4_1."""
    import gguf

    quantization = gguf.GGMLQuantizationType[kind]
    packed = gguf.quants.quantize(weight.astype(np.float32), quantization)
    unpacked: np.ndarray = gguf.quants.dequantize(packed, quantization)
    return unpacked


def round_weights(module: Any, tokens: str) -> float:
    """Round the linear maps of all blocks to 4 bits and the table `tokens` to 8, in place.

    Returns the relative error of the linear maps, of their Frobenius norms.
    """
    import torch

    error = length = 0.0
    for name, weight in module.named_parameters():
        is_map = weight.ndim == 2 and ".layer." in name
        if not is_map and name != tokens:
            continue
        before = weight.detach().numpy().copy()
        after = rounded(before, "Q4_1" if is_map else "Q8_0")
        weight.data = torch.from_numpy(after.copy())
        if is_map:
            error += float(np.square(after - before).sum())
            length += float(np.square(before).sum())
    return float(np.sqrt(error / length))


def token_states(module: Any, windows: list[Window], model: Network) -> States:
    """Return the states of all ordinary tokens, layer by layer."""
    batches = batches_by_length([len(window.ids) for window in windows], TOKENS_PER_BATCH)
    encoded = encode(module, windows, batches, "cpu", model.final_norm)
    by_index = {
        encoded_window.index: encoded_window.tokens[:, ~windows[encoded_window.index].special]
        for encoded_window in encoded
    }
    return np.concatenate([by_index[index] for index in range(len(windows))], axis=1)


def compare_layers(whole: States, coarse: States) -> pd.DataFrame:
    """Return a row a layer: how alike a token's two vectors are, and measures of both clouds."""
    rows = []
    for layer, (x, y) in enumerate(zip(whole, coarse, strict=True)):
        cosines = np.einsum("ij,ij->i", unit_rows(x), unit_rows(y))
        row = {"layer": str(layer), "cosine_of_the_two": float(cosines.mean())}
        row["its_1_%_quantile"] = float(np.quantile(cosines, 0.01))
        for name, function in MEASURES.items():
            for words, cloud in (("whole", x), ("rounded", y)):
                row[f"{name}, {words}"] = value_of(function(cloud.astype(np.float64)))
        rows.append(row)
    return pd.DataFrame(rows)


def page(table: pd.DataFrame, error: float, n_tokens: int) -> str:
    """Return the page."""
    return (
        "# What rounding to 4 bits changes\n\n"
        f"Written by `make rounding`. The linear maps of `{MODEL}` are rounded to Q4_1, 4 bits "
        "a number and two numbers a block of 32, its table of tokens to Q8_0, as in the file of "
        f"`smollm2_135m`. The relative error of the maps is {error:.3f}. Below are the "
        f"{n_tokens:,} ordinary tokens of `{CORPUS}`: how alike the vector of a token is before "
        "and after, and measures of all of them.\n\n" + markdown_table(table, 3) + "\n"
    )


def main() -> None:
    """All of it."""
    model = describe_model(MODEL, read_yaml(Path(f"conf/model/{MODEL}.yaml")))
    assert isinstance(model, Network)
    module = load_model(MODEL, model)
    texts = load_rows(str(TEXTS))["text"].tolist()
    windows = cut_windows(texts, load_tokenizer(MODEL, model), largest_window(model, module))
    whole = token_states(module, windows, model)
    error = round_weights(module, model.matrices.input)
    coarse = token_states(module, windows, model)
    text = page(compare_layers(whole, coarse), error, whole.shape[1])
    print(text)
    with writing(PAGE) as partial_page:
        partial_page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
