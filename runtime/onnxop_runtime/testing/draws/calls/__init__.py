"""A drawn call; how hypothesis draws calls, and how a test runs and counts them."""
