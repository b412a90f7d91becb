"""A generated language with a fully known structure; nothing here touches the disk."""
