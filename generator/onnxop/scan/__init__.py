"""A model → what of it does not export right, and the ways out."""
