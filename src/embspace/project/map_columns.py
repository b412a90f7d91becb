"""Columns that the tables of all maps share, and where maps come from."""

from embspace.analysis import Source, Table
from embspace.files.graphs import load_graphs
from embspace.measure.tables.columns import LINE

QUESTION = "How do tokens and positions lie on a plane, and can one believe it? Figs 11, 18"
READS: dict[str, str | Source] = {
    "matrices": "data/extracted/embeddings/{model}.safetensors",
    "vocabulary": "data/extracted/embeddings/{model}.parquet",
    "regimes": "results/regimes/positions/{model}.csv",
    "graphs": Source(load_graphs, "data/measured/nearest_neighbors/{model}.safetensors"),
}
QUALITY = Table(  # a row for each map
    {
        "cloud": "row",
        "n_axes": "row",
        "n": "count",
        "k": "row",
        "trustworthiness": "map_quality",
        "chance_trustworthiness": "moment",
        "continuity": "map_quality",
        "chance_continuity": "moment",
        "neighbor_recall": "map_recall",
        "chance_neighbor_recall": "moment",
    }
)
# What an iterative method makes depends on rounding, as on its seed.
MAP_ORDER = {
    "order_correlation": "map_order",
    "null_order_correlation": "map_null",
    "null_order_correlation_high": "map_null",
    "adjacent_neighbor_share": "map_share",
}
ITERATIVE = {
    "quality": QUALITY,
    "one_dimensionality": Table(  # a row for each map of positions
        {
            "cloud": "row",
            "n_axes": "row",
            "n": "count",
            **MAP_ORDER,
            "null_adjacent_neighbor_share": "null_value",
        }
    ),
    "seeds": Table(  # a row for each cloud: what maps of the same points by other seeds share
        {
            "cloud": "row",
            "n": "count",
            "k": "row",
            "n_seeds": "count",
            "neighbor_overlap": "seed_overlap",
            "smallest_neighbor_overlap": "seed_overlap",
            "largest_neighbor_overlap": "seed_overlap",
            "chance_neighbor_overlap": "moment",
            "median_order_correlation": "map_order",
            "smallest_order_correlation": "map_order",
            "largest_order_correlation": "map_order",
            "median_adjacent_neighbor_share": "map_share",
            "smallest_adjacent_neighbor_share": "map_share",
            "largest_adjacent_neighbor_share": "map_share",
        }
    ),
    "parts": Table(  # a row for each map of tokens and positions: see `parts_of_positions`
        {
            "cloud": "row",
            "n": "count",
            "n_parts": "map_parts",
            "n_parts_low": "map_parts",
            "n_parts_high": "map_parts",
            "null_n_parts": "map_parts",
            "null_n_parts_low": "map_parts",
            "null_n_parts_high": "map_parts",
            "p_value": "p_value",
            "n_draws": "setting",
            "most_mixed_part": "map_share",
            "least_mixed_part": "map_share",
        }
    ),
    "numbers": Table(  # a row for each map of tokens: see `string_of_numbers`
        {
            "cloud": "row",
            "n": "count",
            "near_number_share": "map_share",
            "null_near_number_share": "map_share",
            "null_near_number_share_low": "map_share",
            "null_near_number_share_high": "map_share",
            "p_value": "p_value",
            "n_draws": "setting",
            **MAP_ORDER,
            "order_correlation_low": "map_order",
            "order_correlation_high": "map_order",
        }
    ),
}
LINES = Table({"cloud": "row", "n_axes": "row", "n": "count", **LINE})
