"""Which measure chooses between trained models? The study of docs/evidence/validity.md, which can be resumed.

`make validity DATA=… WORK=…` trains and scores the models and writes the page. Read `texts`, `training`,
`scoring` (what is computed of each model), `statistics` (what is made of that), `page`.

The plan, made before any score of these models was computed:

- *Texts*: of English Wikipedia five parts, of German and of French novels two each, of Sanskrit one; 2^20
  tokens each, no line in two of them. A Latin text was added by the same plan when these had been scored.
- *Models*: 16 of each text: 5 of skip-gram, 5 of CBOW, 2 of fastText, 2 of GloVe, 2 of the SVD of positive
  PMI; the other hyper-parameters drawn from `training.SPACES`, with rates and epochs at which such models
  have learnt most of what they can. Only words that occur 8 times or more are kept, so that all models of a
  text know the same words, but for the few that have no positive PMI with any other.
- *Measures*, named here: `KeywordRank` (MRR and MAP), `PairRank`, the same on class words alone, `Topk@3`,
  `OddOneOut@3`; in English `Analogy@1` of Google's questions. Beside them what evaluates nothing: the
  window, and learning rate × epochs × window.
- *Criteria*, which are told apart: ratings of people (each list weighted by its known pairs; lists of
  similarity and of relatedness also alone); categories by people (clusters of AP and BLESS, English); tasks:
  where sentences end (every language), and what an article is about (English). Sanskrit has no ratings: its
  criterion is relatedness in a thesaurus; that of Latin is how near synonyms of Wiktionary rank each other,
  as in `KeywordRank`. Both stand alone and are in no mean. Sentiment is no
  criterion: there is no text with labels at hand.
- *Loss*: of five random models of a text, how far the one with the highest score is behind the best of the
  five, over all choices of five. *Correlation*: Spearman's, within a text.
- *Texts are clusters*: an interval is Student's t over the texts.
- *Rule*: a measure *chooses* if its loss is shown to be below that at random over the nine texts with
  ratings, corrected for all measures that are named here (Bonferroni). *Expected*: `KeywordRank` does, with
  at most half of the loss at random in each language; `PairRank` does in English.
- *The mean of models*: of five models, the mean of all, and of the three with the highest `KeywordRank`,
  beside the one that `KeywordRank` chooses.
- *How many keywords and pairs*: `KeywordRank` by 100 to 800 random keywords, `PairRank` by 40 to 320 pairs
  (`fewer`). Limits of 200 and 400 keywords and 150 pairs are what an earlier study gave.
- *Given the hyper-parameters*: correlations of what is left of ranks when the kind of model, window,
  dimension, minimum count and learning rate × epochs are taken away.
"""
