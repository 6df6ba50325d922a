"""Environments of every game for the libraries of others: Gymnasium, PettingZoo, OpenSpiel."""
