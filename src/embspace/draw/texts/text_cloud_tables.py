"""Writes the tables of `measure_text_clouds` for readers."""

from collections.abc import Mapping

import pandas as pd

from embspace.draw.page.markdown import interval, markdown_table, same, section

TWO = {"corpus": "corpus", "other_corpus": "other corpus", "pooling": "pooling"}
# Title, note and columns of each table, the columns with readers' names.
TABLES: dict[str, tuple[str, str, dict[str, str]]] = {
    "distributions": (
        "Distributions",
        "Norms of vectors; distances, dot products and cosines of all pairs of two documents. The "
        "interval of the mean is by half-samples of the documents.",
        {
            **TWO,
            **same("quantity", "n"),
            **interval("mean", "mean"),
            "standard_deviation": "standard deviation",
            "minimum": "minimum",
            "quantile_0.5": "median",
            "maximum": "maximum",
        },
    ),
    "positive": (
        "Cosines that are not positive",
        "Their share of all pairs; the same about the mean of each corpus; of Gaussian vectors "
        "with the same mean and covariance, and with the same variance in all directions. Last, "
        "the share of the squared norm that the mean vector has.",
        {
            **TWO,
            "smallest_cosine": "smallest cosine",
            **interval("share_not_positive", "share"),
            "centered_share_not_positive": "centered",
            "null_covariance_share_not_positive": "same covariance",
            "null_isotropic_share_not_positive": "isotropic",
            "mean_share": "share of the mean",
        },
    ),
    "spectrum": (
        "Spectrum",
        "Isotropic: as many isotropic Gaussian vectors. Of few vectors these numbers say more of "
        "n than of the cloud; at equal n is one vector each of as many documents.",
        {
            **same("corpus", "pooling", "n"),
            "few_vectors": "few",
            "top_variance_share": "largest share",
            "null_top_variance_share": "largest share, isotropic",
            "participation_ratio": "participation ratio",
            "null_participation_ratio": "participation ratio, isotropic",
            **interval("equal_n_participation_ratio", "at equal n"),
        },
    ),
    "separation": (
        "Separation",
        "Area under the ROC curve along a direction that was found on other documents, beside that "
        "of the number of tokens, and that in pairs of equal length alone. Last, the share of the "
        "variance that lies between the two corpora.",
        {
            **TWO,
            "auc": "AUC",
            "auc_standard_deviation": "between folds",
            "null_auc_low": "labels dealt anew, low",
            "null_auc_high": "high",
            "length_auc": "by length",
            "equal_length_auc": "at equal length",
            "n_equal_length_pairs": "pairs",
            "between_corpora_share": "between",
        },
    ),
}


def text_cloud_tables(results: Mapping[str, pd.DataFrame], label: str, digits: int) -> str:
    """Return a table of the corpora, and each other table at the last layer."""
    corpora = results["corpora"].assign(left_out=results["corpora"]["left_out"].fillna(""))
    sections = [
        f"# Clouds of texts in {label}\n\nStage `measure_text_clouds`.\n",
        section("Corpora", "Windows, and their lengths in tokens.", markdown_table(corpora, 0)),
    ]
    for name, (title, note, columns) in TABLES.items():
        table = results[name]
        last = table[table["layer"] == table["layer"].max()]
        shown = last.reindex(columns=[*columns]).rename(columns=columns)
        sections.append(section(title, f"The last layer. {note}", markdown_table(shown, digits)))
    return "\n".join(sections)
