"""Early exercise: every method fits a policy, and one simulation prices it.

A policy says at each date whether to exercise, from prices that are known then. It is fitted on
some paths and priced as a payoff on others, so its value is that of a real strategy: a lower bound
of the option's, up to its standard error. What a fit is worth on its own paths is never returned.

``policy`` makes a payoff of a policy; ``lsmc`` fits by regression, after Longstaff and Schwartz;
``picazo`` by classification, ``pso`` by a swarm that looks for the boundary of exercise;
``quantization`` fits by a dynamic programme on a grid, which prices swing options as well.
"""
