"""The analyses of one kernel under one launch, what its requests cost, and all that in words."""
