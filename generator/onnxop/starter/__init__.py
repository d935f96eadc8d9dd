"""An operator → a spec for it."""
