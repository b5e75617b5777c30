"""Test set files in the formats of other programs: questions for language models, data sets, wordnets."""
