"""Names of groups of parameters, in reading order."""

GROUPS = {
    "attention_query": "queries",
    "attention_key": "keys",
    "attention_value": "values",
    "attention_output": "outputs",
    "feed_forward_key": "MLP keys",
    "feed_forward_gate": "MLP gates",
    "feed_forward_up": "MLP ups",
    "feed_forward_value": "MLP values",
}
