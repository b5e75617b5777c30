"""The real data sets, where they are: each is recognised, and holds as much as is said of it."""

from __future__ import annotations

import pytest

from evaluator import TestSetError, read_testset
from tests.spread import spread

# Sections, different pairs, questions.
ANALOGIES = {
    "en/google_questions-words.txt": (14, 573, 19544),
    "en/msr_syntactic.txt": (1, 1598, 8000),
    "czech/czech_emb_corpus.txt": (12, 547, 22256),
    "icelandic/icebats_derivational.txt": (10, 500, 24500),
    "icelandic/icebats_encyclopedic.txt.gz": (10, 500, 24500),
    "icelandic/icebats_inflectional.txt": (10, 500, 24500),
    "icelandic/icebats_lexicographic.txt.gz": (10, 500, 24500),
    "sanskrit/semantic_analogies_slp1.csv": (6, 176, 6414),
    "sanskrit/syntactic_analogies_slp1.csv": (45, 6837, 10000),
}
PAIRS = {
    "en/EN-MC-30.txt": 30,
    "en/EN-MEN-TR-3k.txt": 3000,
    "en/EN-RG-65.txt": 65,
    "en/EN-SIMLEX-999.txt": 999,
    "en/EN-SimVerb-3500.txt": 3500,
    "en/EN-WS-353-ALL.txt": 353,
    "en/EN-WS-353-REL.txt": 252,
    "en/EN-WS-353-SIM.txt": 203,
    "icelandic/msl.txt": 1888,
    "indian/Gujarati-WS.txt": 163,
    "indian/Hindi-WS.txt": 235,
    # One less than there are lines: the first has the names of the columns.
    "multilingual_simlex999_ws353/simlex-german.txt": 999,
    "multilingual_simlex999_ws353/simlex-italian.txt": 999,
    "multilingual_simlex999_ws353/ws-353/wordsim353-german-rel.txt": 252,
    "multilingual_simlex999_ws353/ws-353/wordsim353-german-sim.txt": 201,
    "multilingual_simlex999_ws353/ws-353/wordsim353-german.txt": 350,
    "multilingual_simlex999_ws353/ws-353/wordsim353-italian-rel.txt": 252,
    "multilingual_simlex999_ws353/ws-353/wordsim353-italian-sim.txt": 201,
    "multilingual_simlex999_ws353/ws-353/wordsim353-italian.txt": 350,
    "sanskrit/automated_relatedness_AK_dev.csv": 4551,
    "sanskrit/automated_relatedness_AK_test.csv": 4551,
}
GROUPS = {
    "en/8-8-8.csv": 8,
    "en/50-8-8-EN.tar.gz": 50,
    "en/wiki-sem-500-en.tar.gz": 500,
    "es/wiki-sem-500-es.tar.gz": 500,
}

# Format, categories, words. Each category of AP and BLESS ends with a line without a word: 423 and 217 lines.
CATEGORIES = {
    "en/ap.csv": ("auto", 21, 402),
    "en/bless.csv": ("auto", 17, 200),
    "en/essli-2008.csv": ("auto", 9, 45),
    "sanskrit/semantic_categories_slp1.csv": ("category-lines", 15, 154),
    "sanskrit/syntactic_categories_slp1.csv": ("word-lines", 45, 1080),
}
LANGUAGES = ["ARA", "CMN", "CYM", "ENG", "EST", "FIN", "FRA", "HEB", "POL", "RUS", "SPA", "SWA", "YUE"]


@pytest.fixture(scope="module")
def benchmarks(shared_data):
    path = shared_data / "benchmarks"
    if not path.is_dir():
        pytest.skip(f"no data sets at {path}")
    return path


@pytest.mark.parametrize("name", spread(ANALOGIES, 3))
def test_analogies(benchmarks, name):
    sections = read_testset(benchmarks / "analogy" / name).analogies
    counts = (
        len(sections),
        sum(len(each.pairs) for each in sections),
        sum(len(each.questions) for each in sections),
    )
    assert counts == ANALOGIES[name]


def test_questions_come_back_as_they_were(benchmarks):
    path = benchmarks / "analogy" / "en" / "google_questions-words.txt"
    lines = []
    for section in read_testset(path).analogies:
        lines.append(f": {section.name}")
        pairs = [(word, answers[0]) for word, answers in section.pairs]
        lines += [" ".join(pairs[first] + pairs[second]) for first, second in section.questions]
    assert lines == path.read_text(encoding="utf-8").splitlines()


def test_alternatives_in_questions(benchmarks):
    sections = read_testset(benchmarks / "analogy" / "icelandic" / "icebats_lexicographic.txt.gz").analogies
    assert sections[0].pairs[0] == ("háskóli", ("akademía", "menntakerfi"))


def test_bats(benchmarks):
    sections = read_testset(benchmarks / "analogy" / "en" / "BATS_3.0").analogies
    assert (len(sections), sum(len(each.pairs) for each in sections)) == (40, 2000)
    assert {each.questions for each in sections} == {None}
    (animals,) = [each for each in sections if each.name == "L01 [hypernyms - animals]"]
    assert animals.pairs[0][0] == "allosaurus"
    assert animals.pairs[0][1][-1] == "archosaurian_reptile"


@pytest.mark.parametrize("name", spread(PAIRS, 3))
def test_rated_pairs(benchmarks, name):
    (rated,) = read_testset(benchmarks / "similarity" / name).rated_pairs
    assert len(rated.pairs) == PAIRS[name]
    assert all(0 <= score <= 50 for _, _, score in rated.pairs)


def test_the_score_of_a_pair(benchmarks):
    (icelandic,) = read_testset(benchmarks / "similarity" / "icelandic" / "msl.txt").rated_pairs
    assert icelandic.pairs[0] == ("á", "dalur", 0.5)


@pytest.mark.parametrize("language", spread(LANGUAGES, 4))
def test_multi_simlex(benchmarks, language):
    test = read_testset(benchmarks / "similarity" / "multi_simlex", language=language)
    (rated,) = test.rated_pairs
    assert len(rated.pairs) == (1887 if language == "EST" else 1888)  # of one pair, a word is missing
    assert all(0 <= score <= 6 for _, _, score in rated.pairs)
    assert test.language == language


def test_multi_simlex_by_the_codes_of_wikipedia(benchmarks):
    path = benchmarks / "similarity" / "multi_simlex"
    test, same = (read_testset(path, language=language) for language in ("fr", "FRA"))
    assert test.rated_pairs == same.rated_pairs
    assert test.rated_pairs[0].pairs[0] == ("bras", "muscle", 2.6)
    with pytest.raises(TestSetError, match=rf"'und' .*{', '.join(LANGUAGES)}"):
        read_testset(path)


@pytest.mark.parametrize("name", GROUPS)
def test_outlier_groups(benchmarks, name):
    groups = read_testset(benchmarks / "outlier" / name).outlier_groups
    assert len(groups) == GROUPS[name]
    if "8-8" in name:
        assert {(len(each.members), len(each.outliers)) for each in groups} == {(8, 8)}
    assert all(len(each.members) in {7, 8} and 2 <= len(each.outliers) <= 8 for each in groups)
    assert not any("" in each.members + each.outliers for each in groups)


@pytest.mark.parametrize("name", CATEGORIES)
def test_categories(benchmarks, name):
    format_, number, words = CATEGORIES[name]
    categories = read_testset(benchmarks / "categorization" / name, format_).categories
    assert (len(categories), sum(len(each.items) for each in categories)) == (number, words)


def test_no_file_is_taken_for_another_kind(benchmarks):
    """What is no data set of these kinds, or not clearly one, is refused with the file's name."""
    for path in [*benchmarks.rglob("*.*"), *benchmarks.glob("emoji/*")]:
        name = path.relative_to(benchmarks).as_posix()
        known = any(name.endswith(each) for each in (*ANALOGIES, *PAIRS, *GROUPS, *CATEGORIES))
        if known or "BATS" in name or "multi_simlex" in name or "MCQ" in name:
            continue
        with pytest.raises(TestSetError, match=path.name[:5]):
            read_testset(path)
