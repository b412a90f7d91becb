"""Writes the tables of `measure_text_clouds` for readers."""

from embspace.draw.page.markdown import markdown_table, section
from embspace.draw.page.saving import Results

# Title and note of each table, and its columns if these do not stand as in the file.
TABLES: dict[str, tuple[str, str, list[str]]] = {
    "distributions": (
        "Distributions",
        "Norms of vectors; distances, dot products and cosines of all pairs of two documents. The "
        "interval of the mean is by half-samples of the documents.",
        [],
    ),
    "positive": (
        "Cosines that are not positive",
        "Their share of all pairs; the same about the mean of each corpus; of Gaussian vectors "
        "with the same mean and covariance, and with the same variance in all directions. Last, "
        "the share of the squared norm that the mean vector has.",
        [
            *("corpus", "other_corpus", "pooling", "smallest_cosine", "share_not_positive"),
            *("centered_share_not_positive", "null_covariance_share_not_positive"),
            *("null_isotropic_share_not_positive", "mean_share"),
        ],
    ),
    "spectrum": (
        "Spectrum",
        "Isotropic: as many isotropic Gaussian vectors. Of few vectors these numbers say more of "
        "n than of the cloud; at equal n is one vector each of as many documents.",
        [],
    ),
    "separation": (
        "Separation",
        "Area under the ROC curve along a direction that was found on other documents, beside that "
        "of the number of tokens, and that in pairs of equal length alone. Last, the share of the "
        "variance that lies between the two corpora.",
        [
            *("corpus", "other_corpus", "pooling", "auc", "auc_standard_deviation"),
            *("null_auc_low", "null_auc_high", "length_auc", "equal_length_auc"),
            *("n_equal_length_pairs", "between_corpora_share"),
        ],
    ),
}


def text_cloud_tables(results: Results, label: str, digits: int) -> str:
    """Return tables of the corpora, of all else at the last layer, and of random weights."""
    corpora = results["corpora"].assign(left_out=results["corpora"]["left_out"].fillna(""))
    sections = [
        f"# Clouds of texts in {label}\n\nStage `measure_text_clouds`.\n",
        section("Corpora", "Windows, and their lengths in tokens.", markdown_table(corpora, 0)),
    ]
    for name, (title, note, columns) in TABLES.items():
        table = results[name]
        last = table[table["layer"] == table["layer"].max()]
        shown = results.for_readers(name, last, columns)
        sections.append(section(title, f"The last layer. {note}", markdown_table(shown, digits)))
    note = "All layers. Cosines of all pairs of some texts of each corpus, mean pooling."
    random = markdown_table(results.for_readers("random"), digits)
    sections.append(section("Random weights", note, random))
    return "\n".join(sections)
