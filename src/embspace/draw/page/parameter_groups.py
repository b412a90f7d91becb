"""Names of groups of parameters, in the order in which a reader meets them."""

GROUPS = {
    "attention_query": "queries",
    "attention_key": "keys",
    "attention_value": "values",
    "attention_output": "outputs",
    "feed_forward_key": "FF keys",
    "feed_forward_gate": "FF gates",
    "feed_forward_up": "FF ups",
    "feed_forward_value": "FF values",
}
