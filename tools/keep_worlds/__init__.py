"""Does the sentence that names a model to keep err? Worlds with models that know nothing, beside others.

`python -m tools.keep_worlds --worlds 200` prints, for each company of models and each command that names one,
how often the right answer was given, none, or a wrong one; `--power` how often the better of two models is
named, by how much it knows more. Read worlds, companies, commands.
"""
