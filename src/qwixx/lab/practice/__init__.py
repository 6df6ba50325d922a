"""The practice game, solved exactly."""
