"""Static checks of a payoff: what can be said before anything runs."""
