"""The results of a fixed version, to the last digit, and a test that later versions give the same."""
