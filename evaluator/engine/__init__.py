"""What measures compute with: looking up words, blocks of similarities, compiled loops, frequency baseline.

No measure is defined here.
"""
