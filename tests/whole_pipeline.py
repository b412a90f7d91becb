"""What the pipeline has: the stages of a model, of a pair, of all, and the folders they write."""

from embspace.analysis import place
from embspace.graph.declarations import declaration
from embspace.settings.params import models_of
from tests.drawn import figure_files

# Of the model: it spells most words letter by letter, and a stimulus is read whole.
POSITIONS = 192
BUILT = ("data/prepared", "data/extracted", "data/measured", "data/projected")
BUILT += ("data/drawn", "results", "figures")
MEASURED = (
    "similarity",
    "mean_embedding",
    "interrelations",
    "separability",
    "sentence_similarity",
    "explained_variance",
    "regimes",
    "positions",
    "helix",
    "nearest_neighbors",
    "sinusoidal_positions",
    "architecture",
    "vocabulary",
    "probing",
    "evolution",
    "homonyms",
    "token_tracker",
    "synonyms",
    "differences",
    "text_clouds",
    "two_corpora",
    "search",
    "text_classification",
    "head_features",
    "attention_patterns",
    "word_order",
    "ledger",
)
DRAWN = ("learned", "positional", "words", "sentences", "texts", "attention", "ledger")
PROJECTED = ("pca", "tsne", "umap", "text_maps")
TOYS = {
    "measure_cubes": "cubes",
    "project_hopf_link": "hopf_link",
    "measure_estimators": "estimators",
    "measure_grammar": "grammar",
}
COMPARED = (
    "alignment",
    "measures",
    "model_changes",
    "model_imbalance",
    "model_parameter_alignment",
    "model_stitching",
    "model_tuning_words",
    "vocabularies",
)


def expected_stages(model: str) -> set[str]:
    return {
        f"prepare_model@{model}",
        f"extract_embeddings@{model}",
        f"extract_hidden_states@{model}-model_card",
        f"extract_stimuli@{model}",
        *(f"draw_{chapter}@{model}" for chapter in DRAWN),
        *(f"measure_{noun}@{model}" for noun in MEASURED),
        *(f"project_{noun}@{model}" for noun in PROJECTED),
    }


# Those that no model has a part in.
SHARED = {"prepare_code", "prepare_texts@model_card", "prepare_stimuli", *TOYS}
SHARED |= {"draw_toys"}
# Those that look at all models.
OF_ALL = {"everything"}


def compared_stages(pair: str) -> set[str]:
    return {*(f"compare_{noun}@{pair}" for noun in COMPARED), f"draw_compare@{pair}"}


def compared_files(pair: str) -> set[str]:
    """Return the declared results of a pair, and the files of its figures."""
    paths = [path for noun in COMPARED for path in declaration(noun).analysis.outputs.values()]
    return {place(path, pair) for path in paths} | {
        file for noun in COMPARED for file in figure_files(noun, pair)
    }


def whole_files(pair: str) -> set[str]:
    """Return the files of a pair with rows; parts of a table have none of unlike models."""
    parts = {file for file in compared_files(pair) if file.startswith("results/")}
    return compared_files(pair) - {file for file in parts if file.count("/") > 2}


def as_params(*pairs: str) -> dict[str, dict[str, str]]:
    """Return what `compared` in params.yaml says of these pairs."""
    return {
        pair: dict(zip(("model", "other_model"), models_of(pair), strict=True)) for pair in pairs
    }
