"""A name → all that is known of it."""
