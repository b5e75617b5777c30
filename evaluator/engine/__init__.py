"""What the measures count with: words of a vocabulary, similarities block by block, the nearest words.

No measure is defined here; a measure asks for what this folder computes.
"""
