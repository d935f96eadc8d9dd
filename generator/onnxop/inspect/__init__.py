"""A name → the facts about the operators and ops of that name."""
