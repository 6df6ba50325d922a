"""Nets that learn to play from nothing."""
