"""Why a model fails."""
