"""A generated language whose structure is known exactly; nothing here touches the disk."""
