"""Mathematics on attention maps: features of heads, their types, and how heads differ."""
