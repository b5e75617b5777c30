"""Data-efficiency probes: how fast simple supervised models learn from vectors.

S. Jastrzebski, D. Leśniak, W. M. Czarnecki (2017), "How to evaluate word embeddings? On importance of
data efficiency and simple supervised tasks".

>>> from evaluator.plugins.probes import gap, membership, rank_embeddings
>>> probes = {name: membership(vectors, labels) for name, vectors in embeddings.items()}
>>> rank_embeddings({name: probe.curve("svm") for name, probe in probes.items()})
>>> gap(probes["glove"])

On test sets, with the items that all embeddings know:

>>> from evaluator.plugins.probes import probe
>>> probe(list_of_vectors, test_set).mean_ranks
"""

from __future__ import annotations

import lazy_loader

# What there is stands in __init__.pyi; a module is loaded when something of it is first used.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
