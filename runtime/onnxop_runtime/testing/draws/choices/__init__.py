"""What a draw may change in a sample, and to what."""
