"""System calls that fail, for every command that writes."""
