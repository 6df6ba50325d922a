"""Tables for people and bots: a log that loses nothing,
dice that can be proved, and the messages between."""
