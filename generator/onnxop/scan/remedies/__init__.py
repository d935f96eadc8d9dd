"""What makes a model right."""
