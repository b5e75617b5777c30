"""Which column is which: rated pairs of many layouts, and what is refused because two columns fit equally."""

from __future__ import annotations

import html
import json
import math
import random
import re

import pytest

from evaluator import TestSetError, read_testset
from evaluator.datasets.columns import language_in, parts_of, two_languages
from tools.build_language_names import TABLE, table

WORDS = [
    f"{first}{last}" for first in ("re", "ur", "vi", "du", "ma", "fo") for last in ("x", "bs", "to", "n")
]
RATINGS = [9.0, 8.5, 0.5, 9.5, 5.0, 1.0, 4.0, 6.5, 3.0, 7.5]


def pairs(seed=0):
    """Different pairs of words with a rating."""
    generator = random.Random(seed)
    words = generator.sample(WORDS, 2 * len(RATINGS))
    return list(zip(words[::2], words[1::2], RATINGS, strict=True))


def write(folder, columns, separator=",", name="set.csv", header=True):
    """A file of columns by their names."""
    rows = [list(columns)] * header + [list(map(str, row)) for row in zip(*columns.values(), strict=True)]
    path = folder / name
    path.write_text("".join(separator.join(row) + "\n" for row in rows), encoding="utf-8")
    return path


def shuffled(values, seed=1):
    return random.Random(seed).sample(list(values), len(values))


def columns_of(found):
    return dict(zip(("word1", "word2", "rating"), map(list, zip(*found, strict=True)), strict=True))


# Columns that are not the rating, beside one that is; their values are those of the ratings in another order.
DECOYS = {
    "annotators before an average": ("Average", ["Anno 1", "Anno 2", "Anno 3"]),
    "annotators by number": ("Human (mean)", ["1", "2", "3"]),
    "annotators by letter and number": ("similarity", ["r1", "r2", "r10"]),
    "a count before a mean": ("mean_rating", ["num_ratings"]),
    "frequencies before human": ("human", ["freq1", "freq2"]),
    "a deviation before the score": ("score", ["score_std"]),
    "another deviation": ("SimLex999", ["SD(SimLex)", "conc(w1)", "concQ", "Assoc(USF)", "SimAssoc333"]),
    "a rank before the rating": ("rating", ["rank"]),
    "a distance beside the similarity": ("similarity", ["distance"]),
    "a name in another language": ("Bewertung", ["SD", "n"]),
    "part of a name": ("avg_sim", ["count", "raters_sd"]),
    "the mean by name": ("mean", ["sub1", "sub2", "sub3"]),
    "relatedness": ("relatedness", ["idA", "idB"]),
}


@pytest.mark.parametrize("separator", [",", "\t", ";"])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("case", DECOYS)
def test_the_rating_is_found_wherever_it_stands(tmp_path, case, seed, separator):
    rating, decoys = DECOYS[case]
    expected = pairs(seed)
    one, two, ratings = map(list, zip(*expected, strict=True))
    numbers = {name: shuffled(RATINGS, place) for place, name in enumerate(decoys)} | {rating: ratings}
    words = {"Word 1": one, "Word 2": two}
    generator = random.Random(seed)
    names = [*words, *numbers]
    if seed:  # first the words, then what is no rating; then anything anywhere
        generator.shuffle(names)
    path = write(tmp_path, {name: (words | numbers)[name] for name in names}, separator)
    found = read_testset(path)
    assert found.rated_pairs[0].pairs == tuple(expected)
    assert found.reading.columns == {"word1": "Word 1", "word2": "Word 2", "rating": rating}
    chosen = read_testset(path, columns={"rating": decoys[0]})
    assert [each[2] for each in chosen.rated_pairs[0].pairs] == numbers[decoys[0]]
    assert chosen.reading.columns["rating"] == decoys[0]
    assert rating in chosen.reading.others["rating"]


# The names of the columns of words, and others that hold texts as well.
WORD_COLUMNS = [
    (("word1", "word2"), ()),
    (("cs_word_1", "cs_word_2"), ()),
    (("Word1", "Word2"), ("POS", "Relation")),
    (("termA", "termB"), ("matchA", "matchB")),
    (("w1", "w2"), ("pos1", "pos2", "synset1", "synset2")),
    (("twi1", "twi2"), ()),
    (("first", "second"), ()),
    (("Mot", "Voisin"), ("POS",)),
]


@pytest.mark.parametrize(("names", "others"), WORD_COLUMNS)
def test_the_words_are_found_wherever_they_stand(tmp_path, names, others):
    expected = pairs()
    one, two, ratings = map(list, zip(*expected, strict=True))
    columns = {name: shuffled(WORDS, place)[: len(one)] for place, name in enumerate(others)}
    columns = {"": range(len(one)), "score": ratings, **columns, names[0]: one, names[1]: two}
    found = read_testset(write(tmp_path, columns))
    assert found.rated_pairs[0].pairs == tuple(expected)
    assert found.reading.columns == {"word1": names[0], "word2": names[1], "rating": "score"}


def translated(latin="Latin1", english="English1", ratings=("score",)):
    one, other = pairs(0), pairs(1)
    columns = {english: [row[0] for row in other], english.replace("1", "2"): [row[1] for row in other]}
    columns |= {latin: [row[0] for row in one], latin.replace("1", "2"): [row[1] for row in one]}
    return columns | {name: shuffled(RATINGS, place) for place, name in enumerate(ratings)}


@pytest.mark.parametrize("names", [("Latin1", "English1"), ("la_1", "en_1"), ("word1_lat", "word1_eng")])
def test_a_translated_set_is_scored_on_the_words_of_the_language(tmp_path, names):
    path = write(tmp_path, translated(*names))
    for code, name, seed in (("la", names[0], 0), ("en", names[1], 1)):
        found = read_testset(path, language=code)
        assert found.reading.columns["word1"] == name
        assert [row[:2] for row in found.rated_pairs[0].pairs] == [row[:2] for row in pairs(seed)]
        assert f"words in {name!r}" in str(found.reading)
        assert set(found.reading.others) == {"word"}
    for code in ("und", "grc"):
        with pytest.raises(TestSetError, match="the words may be in ") as raised:
            read_testset(path, language=code)
        assert all(f"'{name}'" in str(raised.value) for name in names)
    one, two = names[0], names[0].replace("1", "2")
    chosen = read_testset(path, columns={"word1": one, "word2": two})
    assert chosen.rated_pairs == read_testset(path, language="la").rated_pairs


def test_words_of_another_language_alone_are_refused(tmp_path):
    columns = translated()
    path = write(tmp_path, {name: columns[name] for name in ("English1", "English2", "score")})
    with pytest.raises(TestSetError, match="'English1', 'English2', and not in la; choose with --columns"):
        read_testset(path, language="la")
    assert read_testset(path, language="en").rated_pairs == read_testset(path).rated_pairs


def test_the_rating_of_the_language_of_the_words(tmp_path):
    path = write(tmp_path, translated("Yoruba1", ratings=("EngSim", "YorSim")))
    assert read_testset(path, language="yo").reading.columns["rating"] == "YorSim"
    assert read_testset(path, language="en").reading.columns["rating"] == "EngSim"


UNCLEAR = {
    "two ratings": {"similarity": RATINGS, "relatedness": shuffled(RATINGS)},
    "two unknown columns": {"valor": RATINGS, "peso": shuffled(RATINGS)},
    "annotators without a mean": {"Anno 1": RATINGS, "Anno 2": shuffled(RATINGS)},
}


@pytest.mark.parametrize("case", UNCLEAR)
def test_ratings_that_fit_equally_are_refused_and_both_named(tmp_path, case):
    one, two, _ = map(list, zip(*pairs(), strict=True))
    path = write(tmp_path, {"word1": one, "word2": two, **UNCLEAR[case]})
    first, second = UNCLEAR[case]
    with pytest.raises(
        TestSetError, match=re.escape(f"{first!r} or {second!r}; choose with --columns rating=")
    ):
        read_testset(path)
    values = [row[2] for row in read_testset(path, columns={"rating": second}).rated_pairs[0].pairs]
    assert values == UNCLEAR[case][second]


def test_ratings_of_the_same_order_are_one(tmp_path):
    one, two, ratings = map(list, zip(*pairs(), strict=True))
    path = write(
        tmp_path, {"word1": one, "word2": two, "Sim1": ratings, "Sim2": [5 * each for each in ratings]}
    )
    found = read_testset(path)
    assert (found.reading.columns["rating"], found.reading.others) == ("Sim1", {"rating": ("Sim2",)})


@pytest.mark.parametrize("name", ["rank", "Rank_similarity", "distance", "dissimilarity"])
def test_what_is_lowest_for_the_nearest_is_no_rating(tmp_path, name):
    path = write(tmp_path, dict(zip(("word1", "word2", name), columns_of(pairs()).values(), strict=True)))
    with pytest.raises(
        TestSetError, match=rf"has no rating but {name!r}, where the lowest number is the nearest"
    ):
        read_testset(path)
    assert read_testset(path, columns={"rating": name}).rated_pairs[0].pairs == tuple(pairs())


WITHOUT_NAMES = {
    "two words and a rating": lambda one, two, rating: (one, two, rating),
    "numbered": lambda one, two, rating: (range(10), one, two, rating),
    "a part of speech between": lambda one, two, rating: (one, two, ["N", "V"] * 5, rating),
    "tags behind": lambda one, two, rating: (one, two, rating, ["SYNONYMS", "NONE"] * 5),
    "the rating first": lambda one, two, rating: (rating, one, two),
    "the mean after two annotators": lambda one, two, rating: (
        *(one, two, [x - y for x, y in zip(rating, [0.5] * 5 + [0.25] * 5, strict=True)]),
        *([x + y for x, y in zip(rating, [0.5] * 5 + [0.25] * 5, strict=True)], rating),
    ),
}


@pytest.mark.parametrize("case", WITHOUT_NAMES)
def test_columns_without_names_are_told_by_what_they_hold(tmp_path, case):
    columns = WITHOUT_NAMES[case](*columns_of(pairs()).values())
    path = write(tmp_path, dict(enumerate(columns)), header=False)
    assert read_testset(path).rated_pairs[0].pairs == tuple(pairs())


def test_columns_without_names_that_fit_equally_are_refused(tmp_path):
    one, two, ratings = columns_of(pairs()).values()
    path = write(tmp_path, dict(enumerate((one, two, ratings, shuffled(ratings)))), header=False)
    with pytest.raises(TestSetError, match="may be in column 3 or column 4; choose with --columns rating=3"):
        read_testset(path)
    found = read_testset(path, columns={"rating": "4"})
    assert found.reading.columns == {"word1": "1", "word2": "2", "rating": "4"}
    assert str(found.reading) == "rated pairs: words in columns 1, 2, rating in column 4 (not in column 3)"
    four = write(tmp_path, dict(enumerate((one, two, shuffled(one), shuffled(two), ratings))), header=False)
    with pytest.raises(
        TestSetError, match=r"the words may be in 'column 1', 'column 2'|column 1, column 2 or"
    ):
        read_testset(four)
    words = {"word1": "3", "word2": "4"}
    assert read_testset(four, columns=words).reading.columns == words | {"rating": "5"}


def test_columns_that_are_not_there(tmp_path):
    path = write(tmp_path, columns_of(pairs()))
    with pytest.raises(TestSetError, match=r"no column 'mean', as .* there are 'word1', 'word2', 'rating'"):
        read_testset(path, columns={"rating": "mean"})
    with pytest.raises(TestSetError, match=r"names stars, which no format has together. The roles are: "):
        read_testset(path, columns={"stars": "rating"})
    with pytest.raises(TestSetError, match="names label, which no format has"):
        read_testset(path, "rated-pairs", columns={"label": "rating"})
    bare = write(tmp_path, dict(enumerate(columns_of(pairs()).values())), header=False)
    with pytest.raises(TestSetError, match=r"has no column '4', as .* by its number"):
        read_testset(bare, columns={"rating": "4"})


def test_rows_without_words_and_rating_are_left_out(tmp_path):
    path = write(tmp_path, {"": range(len(RATINGS)), **columns_of(pairs())})
    path.write_text(path.read_text() + "10,,,\n,,,\n")
    found = read_testset(path)
    assert len(found.rated_pairs[0].pairs) == len(RATINGS)
    assert found.reading.skipped == ("set.csv, line 12: neither words nor a rating",)
    path.write_text(path.read_text() + "12,rex,,\n")
    with pytest.raises(TestSetError, match=r"line 14: 2 fields; two words .*--bad-rows drop"):
        read_testset(path)


@pytest.mark.parametrize("comment", ["# made by hand", "## two", "#! three", "#Word 1\tWord 2\tHuman"])
def test_comments_are_left_out_of_every_format(tmp_path, comment):
    rated = write(tmp_path, columns_of(pairs()), "\t", header=False)
    files = {
        "rated.tsv": rated.read_text(),
        "q.txt": ": capital\nroma italia athenae graecia\nathenae graecia roma italia\n",
        "c.txt": ":court\nrex regina\n:town\nurbs via\n",
        "c.csv": "category,word\ncourt,rex\ncourt,regina\n",
        "o.txt": "rex\nregina\n\nurbs\nvia\n",
        "la-fr.txt": "rex roi\nurbs ville\n",
        "t.txt": "pos\tvita bona est\nneg\tmors mala\npos\tbona est vita\n",
        "f.txt": "__label__pos vita bona\n__label__neg mors mala\n",
    }
    for name, text in files.items():
        plain, commented = tmp_path / f"plain/{name}", tmp_path / f"commented/{name}"
        for path, content in ((plain, text), (commented, f"{comment}\n{comment}\n{text}")):
            path.parent.mkdir(exist_ok=True)
            path.write_text(content, encoding="utf-8")
        expected, found = read_testset(plain), read_testset(commented)
        for kind in (
            "rated_pairs",
            "analogies",
            "categories",
            "outlier_groups",
            "translations",
            "labelled_texts",
        ):
            assert getattr(found, kind, ()) == getattr(expected, kind, ())
        assert found.reading.skipped == (f"{name}, lines 1, 2: comments",)
        assert expected.reading.skipped == ()


def test_words_that_begin_with_a_hash_are_no_comments(tmp_path):
    path = tmp_path / "tags.txt"
    path.write_text("".join(f"#tag{n}\t#other{n}\t{n}.5\n" for n in range(9)))
    assert len(read_testset(path).rated_pairs[0].pairs) == 9
    quoted = tmp_path / "texts.csv"
    quoted.write_text('label,text\npos,"vita\n# bona est"\nneg,mors mala\npos,vita\n')
    assert read_testset(quoted).labelled_texts[0].texts[0][1] == ("vita", "#", "bona", "est")


def test_a_control_character_is_refused_with_its_line(tmp_path):
    path = tmp_path / "set.txt"
    path.write_text("rex\tregina\t1\nurbs\tv\x1b[31mia\t2\nvia\tdux\t3\n")
    with pytest.raises(
        TestSetError, match=r"line 2: holds the control character U\+001B; remove it"
    ) as raised:
        read_testset(path)
    assert "\x1b" not in str(raised.value)
    found = read_testset(path, bad_rows="drop")
    assert len(found.rated_pairs[0].pairs) == 2
    assert "\x1b" not in str(found.reading.skipped)


@pytest.mark.parametrize("first", ["made by hand ok", "a\tb\tc\td"])
def test_a_question_above_the_first_section_is_refused(tmp_path, first):
    path = tmp_path / "q.txt"
    path.write_text(f"{first}\n: capital\nroma italia athenae graecia\nathenae graecia roma italia\n")
    with pytest.raises(TestSetError, match="line 1: a question above the first `: section`"):
        read_testset(path)


# Four words a line that are no analogies, and what is said of them.
NO_ANALOGIES = {
    "which word does not fit": (
        [f"{a}o {a}a {a}i {a}x-{a}y-{a}z" for a in "bcdfg"],
        "questions which word does not fit",
    ),
    "a text with tags": (
        [
            "-DOCSTART- -X- O O",
            "",
            "Roma NNP I-NP I-LOC",
            "vicit VBD I-VP O",
            "Graeciam NNP I-NP I-LOC",
            ". . O O",
        ],
        r"a text with tags, .* \(CoNLL\)",
    ),
    "a text with tags, its documents not marked": (
        ["Roma NNP I-NP I-LOC", "vicit VBD I-VP O", "Graeciam NNP I-NP I-LOC", ". . O O"],
        r"a text with tags, .* \(CoNLL\)",
    ),
    "documents of tags of other names": (
        ["-DOCSTART- x y z", *(f"w{n} n{n} c{n} l{n}" for n in range(30))],
        r"a text with tags, .* \(CoNLL\)",
    ),
    "tags of other names": (
        [
            f"w{n} {pos} {chunk} O"
            for n in range(30)
            for pos, chunk in (("n", "b-np"), ("v", "b-vp"), ("d", "o"))
        ],
        "four words on a line without sections",
    ),
    "four words": (
        [f"{a}a {a}e {a}i {a}o" for a in "bcdfgh"],
        "four words on a line without sections; if they are analogies, name the format questions",
    ),
}


@pytest.mark.parametrize("case", NO_ANALOGIES)
def test_four_words_a_line_are_not_always_analogies(tmp_path, case):
    lines, expected = NO_ANALOGIES[case]
    path = tmp_path / "four.txt"
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(TestSetError, match=f"four.txt: not recognised as a data set; it holds {expected}"):
        read_testset(path)


# What is no data set that can be scored, or not the file itself.
UNKNOWN = {
    "a Git LFS pointer": "version https://git-lfs.github.com/spec/v1\noid sha256:ab12\nsize 12\n",
    "a page of the web": "<!DOCTYPE html>\n<html><head>\n</head></html>\n",
    "trees of sentences": "(3 (2 vita) (3 (3 bona) (2 est)))\n(1 (2 mors) (1 mala))\n",
    "pairs joined by a hyphen": ": urbs-terra\nroma-italia\nathenae-graecia\n: vir-femina\nrex-regina\n",
    "pairs of words and a relation": ",word1,word2,relation\n0,rex,dux,coord\n1,urbs,via,random\n",
    "a list of words without": "rex\nregina\ndux\nurbs\n",
    "lines with others indented": "Roma\n\tTiberis\n\tForum Romanum\n\tCapitolium\nAthenae\n\tAcropolis\n",
}


@pytest.mark.parametrize("case", UNKNOWN)
def test_what_a_file_is_instead_of_a_data_set_is_said(tmp_path, case):
    path = tmp_path / "x.txt"
    path.write_text(UNKNOWN[case])
    with pytest.raises(TestSetError, match=f"x.txt: .*{case}"):
        read_testset(path)


def test_words_with_hyphens_are_words(tmp_path):
    path = tmp_path / "music.txt"
    path.write_text(":music\nhip-hop\ntrip-hop\nbe-bop\n:food\nfast-food\njunk-food\n")
    assert [each.words[0] for each in read_testset(path).categories] == ["hip-hop", "fast-food"]


def test_pairs_of_relations_are_read_if_they_are_named(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text(
        ",word1,word2,relation\n0,rex,regina,wife\n1,roma,italia,of\n2,dux,ducissa,wife\n3,b,c,of\n"
    )
    for found in (
        read_testset(path, "relation-pairs"),
        read_testset(path, columns={"relation": "relation", "word1": "2"}),
    ):
        wife, of = found.analogies
        assert (wife.name, wife.pairs) == ("wife", (("rex", ("regina",)), ("dux", ("ducissa",))))
        assert (of.name, of.questions) == ("of", None)


def test_a_label_is_a_label(tmp_path):
    texts = [f"{word} est {word} et non {word}" for word in WORDS[:12]]
    labels = ["pos", "neg", "pos"] * 4
    path = tmp_path / "t.txt"

    def text(*columns):
        path.write_text("".join("\t".join(map(str, row)) + "\n" for row in zip(*columns, strict=True)))
        return path

    ids = [f"id{n}" for n in range(12)]
    for columns, choice in (
        ((labels, texts), {}),
        ((ids, labels, texts), {}),
        ((labels, ids, texts), {"label": "1"}),
    ):
        found = read_testset(text(*columns), columns=choice)
        assert [label for label, _ in found.labelled_texts[0].texts] == labels
    with pytest.raises(TestSetError, match="differs from text to text, and is no label"):
        read_testset(text(labels, ids, texts), "labelled-texts")
    with pytest.raises(TestSetError, match="two places in it"):
        read_testset(text(labels, [1, 2, 1] * 4, [3, 3, 2] * 4, texts))
    path = write(tmp_path, {"sentiment": labels, "label": shuffled(labels), "text": texts})
    with pytest.raises(
        TestSetError, match="the labels may be in 'label' or 'sentiment'; choose with --columns"
    ):
        read_testset(path)
    assert read_testset(path, columns={"label": "sentiment"}).labelled_texts[0].texts[1][0] == "neg"
    numbered = {"pos": "1", "neg": "0"}
    path = write(tmp_path, {"label": map(numbered.get, labels), "sentiment": labels, "text": texts})
    assert read_testset(path).reading.others == {"label": ("sentiment",)}
    path = write(tmp_path, {"subject": labels, "content": texts})
    assert read_testset(path).reading.columns == {"label": "subject", "text": "content"}


def test_the_first_option_is_the_answer_where_none_is_named(tmp_path):
    path = write(tmp_path, {"target": ["rex", "via"], "a": ["dux", "iter"], "b": ["urbs", "rex"]})
    found = read_testset(path)
    assert str(found.reading) == "synonym questions: word in 'target', answer in 'a' (not in 'b')"
    other = read_testset(path, columns={"word": "target", "answer": "b"})
    assert other.synonym_questions[0].questions[0].answers == ("urbs",)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("en-it.0-5000.txt", ("en", "it")),
        ("la-zh-hant.txt", ("la", "zh-hant")),
        ("yacle.test.freq.2k.en-tr.tsv", ("en", "tr")),
        ("OPUS_en_it_europarl.txt", ("en", "it")),
        ("all-words.txt", None),
        ("en-en.txt", None),
    ],
)
def test_the_languages_that_a_file_is_named_after(name, expected):
    assert two_languages(name) == expected


def test_parts_and_languages_of_names():
    assert parts_of("SD(SimLex)") == ["sd", "sim", "lex"]
    assert parts_of("mean_rating2") == ["mean", "rating", "2"]
    assert [language_in(each) for each in ("Yoruba", "word la", "EngSim", "score")] == [
        "yo",
        "la",
        "en",
        None,
    ]


def test_the_names_of_languages_are_those_of_both_packages():
    assert TABLE.read_text(encoding="utf-8") == table()


def vectors(folder):
    """Vectors in which the words of a pair are as near as its rating says."""
    rows = []
    for one, two, rating in pairs():
        angle = (10 - rating) / 10
        rows += [f"{one} 1 0", f"{two} {math.cos(angle):.6f} {math.sin(angle):.6f}"]
    path = folder / "m.vec"
    path.write_text(f"{len(rows)} 2\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def two_ratings(tmp_path):
    """A file with a mean and an annotator, whose ratings differ."""
    one, two, ratings = columns_of(pairs()).values()
    columns = {"Word 1": one, "Word 2": two, "Anno 1": shuffled(ratings), "Average": ratings}
    return write(tmp_path, columns, "\t", "set.tsv")


def test_scores_keep_the_reading_and_say_it_where_there_was_a_choice(evaluator, two_ratings, tmp_path):
    line = "set.tsv: rated pairs: words in 'Word 1', 'Word 2', rating in 'Average' (not in 'Anno 1')"
    asked = ("score", vectors(tmp_path), "--test", two_ratings, "--measure", "Similarity")
    ran = evaluator(*asked, "--json")
    assert ran.code == 0, ran.err
    assert f"evaluator: {line}\n" in ran.err
    (found,) = json.loads(ran.out)["results"]
    assert found["reading"] == {
        "format": "rated-pairs",
        "columns": {"word1": "Word 1", "word2": "Word 2", "rating": "Average"},
        "others": {"rating": ["Anno 1"]},
    }
    (score,) = found["scores"]
    assert score["value"] == pytest.approx(1)
    assert "|read:word1=Word 1,word2=Word 2,rating=Average|" in score["signature"]
    (tmp_path / "s.json").write_text(ran.out, encoding="utf-8")
    assert evaluator("report", tmp_path / "s.json", "--output", tmp_path / "s.html").code == 0
    page = html.unescape((tmp_path / "s.html").read_text(encoding="utf-8"))
    assert f"read as {line.partition(': ')[2]}" in page


def test_columns_are_chosen_on_the_command_line(evaluator, two_ratings, tmp_path):
    model, kept = vectors(tmp_path), tmp_path / "out.jsonl"
    asked = ("score", model, "--test", two_ratings, "--measure", "Similarity", "--columns", "rating=Anno 1")
    (found,) = json.loads(evaluator(*asked, "--json").out)["results"]
    expected = read_testset(two_ratings, columns={"rating": "Anno 1"})
    assert found["reading"]["columns"] == expected.reading.columns
    assert found["scores"][0]["value"] < 0.9
    ran = evaluator(*asked, "--output", kept)
    assert ran.code == 0, ran.err
    assert "rating in 'Anno 1' (not in 'Average')" in ran.err
    head, line = map(json.loads, kept.read_text(encoding="utf-8").splitlines())
    assert head["reading"]["columns"] == "rating=Anno 1"
    assert line["scores"]["reading"] == found["reading"]
    other = evaluator(*asked[:-1], "rating=Average", "--output", kept)
    assert (other.code, "out.jsonl" in other.err) == (2, True)
    wrong = evaluator(*asked[:-1], "Average")
    assert (wrong.code, "--columns Average: give a name or number to each role" in wrong.err) == (2, True)


def test_a_file_without_a_choice_is_read_without_a_line(evaluator, tmp_path):
    path = write(tmp_path, columns_of(pairs()))
    ran = evaluator("score", vectors(tmp_path), "--test", path, "--json")
    assert "rated pairs" not in ran.err
    (found,) = json.loads(ran.out)["results"]
    assert found["reading"]["columns"] == {"word1": "word1", "word2": "word2", "rating": "rating"}
    assert "read:" not in found["scores"][0]["signature"]
