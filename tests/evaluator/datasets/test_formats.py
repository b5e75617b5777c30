"""Every format of data sets: what is recognised, what is read, and a complaint for all that can be wrong."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest

from evaluator import (
    AnalogySection,
    LabelledTexts,
    OutlierGroup,
    RatedPairs,
    TestSetError,
    read_testset,
)
from evaluator.datasets import reading
from evaluator.datasets.reading import dataset_formats
from evaluator.datasets.testset import SynonymQuestion, SynonymQuestions
from evaluator.plugins.translation import TranslatedItem, TranslationList
from tests.conftest import REPOSITORY
from tests.evaluator.datasets.test_testset import GOLDEN
from tools.tables import rows

QUESTIONS = """\
: capital
roma italia athenae graecia
athenae graecia roma italia
: gram1 plural/x
rex reges urbs urbes/urbeis
"""
CAPITALS = (("roma", ("italia",)), ("athenae", ("graecia",)))
PLURALS = (("rex", ("reges",)), ("urbs", ("urbes", "urbeis")))
SECTIONS = (
    AnalogySection("capital", "capital", CAPITALS, ((0, 1), (1, 0))),
    AnalogySection("gram1 plural/x", "gram1 plural/x", PLURALS, ((0, 1),)),
)
RATED = (("rex", "regina", 7.5), ("urbs", "via", 3.0), ("rex", "regina", 7.0))
GROUPS = (
    OutlierGroup("court", "court", ("rex", "regina"), ("urbs", "via")),
    OutlierGroup("town", "town", ("urbs", "forum"), ("rex",)),
)
CATEGORIES = {"court": ("rex", "regina"), "town": ("urbs", "via")}
TEXTS = (("pos", ("vita", "bona", "est")), ("neg", ("mors", "mala")), ("pos", ("bona", "est", "vita")))


def rated(text, name="set.txt"):
    return {name: text}, "rated-pairs", "rated_pairs", (RatedPairs("set", "set", RATED),)


def analogies(text, format_="questions", expected=SECTIONS, name="set.txt"):
    return {name: text}, format_, "analogies", expected


def categories(text, format_, expected=CATEGORIES):
    return {"set.txt": text}, format_, "categories", expected


def texts(text, format_):
    return {"set.txt": text}, format_, "labelled_texts", (LabelledTexts("set", "set", TEXTS),)


QUESTIONS_OF_SYNONYMS = (
    SynonymQuestion("rex", ("dux",), ("via", "urbs")),
    SynonymQuestion("via", ("iter",), ("rex", "dux")),
)


def synonyms(text, questions):
    expected = (SynonymQuestions("set", "set", questions),)
    return {"set.csv": text}, "synonym-questions", "synonym_questions", expected


def dictionary(name, text):
    items = (
        TranslatedItem("rex", ("rex",), ("roi", "souverain")),
        TranslatedItem("urbs", ("urbs",), ("ville",)),
    )
    stem = name.rpartition(".")[0]
    return {name: text}, "muse", "translations", (TranslationList(stem, stem, items),)


# What is recognised: the file, or the files of a folder; the format; the part, and what it must be.
KNOWN = {
    "categories": categories(":court\nrex regina\n:town\nurbs via\n", "categories"),
    "categories of four": categories(
        ":a\nrex regina dux miles\n:b\nurbs via forum porta\n",
        "categories",
        {"a": ("rex", "regina", "dux", "miles"), "b": ("urbs", "via", "forum", "porta")},
    ),
    "questions": analogies(QUESTIONS),
    "questions, tabs": analogies(re.sub(r"(?<!:)(?<!gram1) ", "\t", QUESTIONS)),
    "questions without sections": analogies(
        "roma\titalia\tathenae\tgraecia\r\nathenae\tgraecia\troma\titalia\r\n",
        expected=(AnalogySection("set", "set", CAPITALS, ((0, 1), (1, 0))),),
    ),
    "bats, one file": analogies(
        "rex\treges\nurbs\turbes/urbeis/\n", "bats", (AnalogySection("set", "set", PLURALS),)
    ),
    "bats, a folder": (
        {
            "1/I01 [a - b].txt": "rex\treges\nurbs\turbes/urbeis\n",
            "2/E01.txt": "roma\titalia\nathenae\tgraecia\n",
        },
        "bats",
        "analogies",
        (
            AnalogySection("I01 [a - b]", "I01 [a - b]", PLURALS),
            AnalogySection("E01", "E01", CAPITALS),
        ),
    ),
    "analogies-csv": analogies(
        "relation,a,b,c,d\ncapital,roma,italia,athenae,graecia\n"
        "gram1 plural/x,rex,reges,urbs,urbes/urbeis\ncapital,athenae,graecia,roma,italia\n",
        "analogies-csv",
    ),
    "rated-pairs, tabs": rated("rex\tregina\t7.5\nurbs\tvia\t3\nrex\tregina\t7\n"),
    "rated-pairs, spaces": rated("rex regina 7.500\nurbs  via  3\nrex regina 7e0\n"),
    "rated-pairs, commas": rated("rex,regina,7.5\nurbs,via,3\nrex,regina,7\n"),
    "rated-pairs, quotes": rated('"rex","regina",7.5\nurbs,"via",3\n"rex",regina,"7"\n'),
    "rated-pairs, semicolons": rated("rex;regina;7.5\nurbs;via;3\nrex;regina;7\n"),
    "rated-pairs, WS-353": rated(
        "Word 1,Word 2,Human (mean),1,2\nrex,regina,7.5,9,6\nurbs,via,3,3,3\nrex,regina,7,7,7\n"
    ),
    "rated-pairs, SimLex-999": rated(
        "word1\tword2\tPOS\tconc(w1)\tSimLex999\tSD(SimLex)\n"
        "rex\tregina\tN\t1\t7.5\t2\nurbs\tvia\tN\t1\t3\t2\nrex\tregina\tN\t1\t7\t2\n"
    ),
    "rated-pairs, SimVerb": rated(
        "rex\tregina\tV\t7.5\tNONE\nurbs\tvia\tV\t3\tNONE\nrex\tregina\tV\t7\tNONE\n"
    ),
    "rated-pairs, rank first": rated(
        ",word1,word2,similarity\n0,rex,regina,7.5\n1,urbs,via,3\n2,rex,regina,7\n"
    ),
    "rated-pairs, empty column": rated("rex\tregina\t7.5\t\nurbs\tvia\t3\t\nrex\tregina\t7\t\n", "set.tsv"),
    "multi-simlex": (
        {
            "scores.csv": "ID,ENG 1,ENG 2,ENG,FRA\n1,king,queen,1,7.5\n2,town,road,2,3\n3,no,one,3,1\n",
            "translation.csv": "ID,FRA 1,FRA 2\n1,roi ,reine\n2,ville,rue\n3,non,\n",
        },
        "multi-simlex",
        "rated_pairs",
        (RatedPairs("multi-simlex", "Multi-SimLex", (("roi", "reine", 7.5), ("ville", "rue", 3.0))),),
    ),
    "multi-simlex, one file": (
        {"set.csv": "ID,FRA 1,FRA 2,FRA\n1,roi,reine,7.5\n"},
        "multi-simlex",
        "rated_pairs",
        (RatedPairs("multi-simlex", "Multi-SimLex", (("roi", "reine", 7.5),)),),
    ),
    "outliers-csv": (
        {
            "set.csv": ",category,outliers,words\n"
            "0,court,\"['urbs', 'via', '']\",\"['rex', 'regina']\"\n1,town,['rex'],\"['urbs', 'forum']\"\n"
        },
        "outliers-csv",
        "outlier_groups",
        GROUPS,
    ),
    "outliers, a folder": (
        {"court.txt": "rex\r\nregina \r\n\r\nurbs\r\nvia", "town.txt": "urbs\nforum\n \n\nrex\n\n"},
        "outliers",
        "outlier_groups",
        GROUPS,
    ),
    "outliers, one file": (
        {"court.txt": "rex\nregina\n\nurbs\nvia\n"},
        "outliers",
        "outlier_groups",
        GROUPS[:1],
    ),
    "outliers, a folder of languages": (
        {"fr/court.txt": "rex\nregina\n\nurbs\nvia\n", "es/court.txt": "a\nb\n\nc\n"},
        "outliers",
        "outlier_groups",
        GROUPS[:1],
    ),
    "categories-csv": categories(
        ",category,word\n0,court,rex\n1,town,urbs\n2,court,regina\n3,town,via\n4,town,\n", "categories-csv"
    ),
    "categories-csv, tabs": categories(
        "word\tCategory\nrex\tcourt\nregina\tcourt\nurbs\ttown\nvia\ttown\n", "categories-csv"
    ),
    "labelled-texts": texts("pos\tvita bona est\nneg\tmors mala\npos\tbona est vita\n", "labelled-texts"),
    "labelled-texts, SemEval": texts(
        '1\tpos\tvita bona est\t\r\n2\t"neg"\tmors mala\r\n3\tpos\tbona est vita\r\n', "labelled-texts"
    ),
    "text-table": texts(
        'TweetID,HandLabel,AnnotatorID,Text\n1,pos,7,"vita\nbona est"\n2,neg,7,mors mala\n'
        "3,pos,8,bona est vita\n",
        "text-table",
    ),
    "text-table, tabs": texts(
        "sentence\tlabel\nvita bona est\tpos\nmors mala\tneg\nbona est vita\tpos\n", "text-table"
    ),
    "muse": (
        {"la-zh-hant.0-50.txt": "rex 王\nurbs\t城\nrex 君\n"},
        "muse",
        "translations",
        (
            TranslationList(
                "la-zh-hant.0-50",
                "la-zh-hant.0-50",
                (
                    TranslatedItem("rex", ("rex",), ("王", "君")),
                    TranslatedItem("urbs", ("urbs",), ("城",)),
                ),
            ),
        ),
    ),
    "dictionary": (
        {
            "set.txt": '{\n  "format": "dictionary",\n  "version": 1, "language": "fr", "target": "la", '
            '"categories": [{"name": "a", "items": ['
            '{"id": "Q1", "words": ["roi"], "translations": ["rex", "rex"]}]}]}'
        },
        "dictionary",
        "translations",
        (TranslationList("a", "a", (TranslatedItem("Q1", ("roi",), ("rex",)),)),),
    ),
    "synonym-questions, a row each": synonyms(
        "target,a,b,c\nrex,dux,via,urbs\nvia,iter,rex,dux\n", QUESTIONS_OF_SYNONYMS
    ),
    "synonym-questions, an option a row": synonyms(
        ",target,word,is_solution\n0,rex,dux,yes\n1,rex,via,no\n2,rex,urbs,no\n3,via,iter,yes\n"
        "4,via,rex,no\n5,via,dux,no\n",
        QUESTIONS_OF_SYNONYMS,
    ),
    "synonym-questions, the answer named": synonyms(
        "question\toption1\toption2\toption3\tanswer\nrex\tvia\tdux\turbs\tdux\n"
        "via\trex\tdux\titer\toption3\n",
        QUESTIONS_OF_SYNONYMS,
    ),
    "outliers-csv, a word a row": (
        {
            "set.csv": ",category,word,is_outlier\n0,court,rex,false\n1,court,regina,false\n"
            "2,court,urbs,true\n3,court,via,true\n4,town,urbs,no\n5,town,forum,no\n6,town,rex,yes\n"
        },
        "outliers-csv",
        "outlier_groups",
        GROUPS,
    ),
    "analogies-csv, vecto": analogies(
        ",type,word1,word2,word3,target\n0,capital,roma , italia,athenae,graecia\n"
        "1,gram1 plural/x,rex,reges,urbs,urbes/urbeis\n2,capital,athenae,graecia,roma,italia\n",
        "analogies-csv",
    ),
    "bats, named so": analogies(
        "rex reges\nurbs urbes/urbeis\n",
        "bats",
        (AnalogySection("I01 [a - b]", "I01 [a - b]", PLURALS),),
        "I01 [a - b].txt",
    ),
    "muse, commas": dictionary("la_fr.csv", "rex,roi\nurbs,ville\nrex,souverain\n"),
    "muse, tabs": dictionary("words.la-fr.tsv", "rex\troi\nurbs\tville\nrex\tsouverain\n"),
    "fasttext": texts(
        "__label__pos vita bona est\n__label__neg mors mala\n__label__pos\tbona est vita\n", "fasttext"
    ),
}


def write(tmp_path, files):
    """The path of the file, or of a folder of several."""
    path = tmp_path / "set"
    for name, text in files.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_text(text, encoding="utf-8", newline="")
    return path if len(files) > 1 else path / next(iter(files))


def part(test, kind):
    found = getattr(test, kind)
    return {each.name: each.words for each in found} if kind == "categories" else found


@pytest.mark.parametrize("case", KNOWN)
def test_what_is_recognised_and_read(tmp_path, case):
    files, format_, kind, expected = KNOWN[case]
    path = write(tmp_path, files)
    test = read_testset(path, language="fr")
    assert part(test, kind) == expected
    assert test == read_testset(path, format_, "fr")
    kinds = ("categories", "relations", "analogies", "rated_pairs", "outlier_groups", "labelled_texts")
    kinds = (*kinds, "translations", "synonym_questions")
    assert [each for each in kinds if getattr(test, each, ())] == [kind]
    assert (test.name, test.language) == (path.name, "la" if format_ == "muse" else "fr")
    assert (test.reading.format, test.reading.language) == (format_, test.language)


@pytest.mark.parametrize("case", [case for case in KNOWN if len(KNOWN[case][0]) == 1])
def test_gzip_with_a_byte_order_mark_is_read_as_the_same(tmp_path, case):
    files, _, kind, expected = KNOWN[case]
    path = write(tmp_path, files)
    packed = path.with_name(f"{path.name}.gz")
    packed.write_bytes(gzip.compress(b"\xef\xbb\xbf" + path.read_bytes()))
    assert part(read_testset(packed, language="fr"), kind) == expected


def test_the_json_format_is_recognised_by_name_and_by_content(tmp_path):
    plain = read_testset(GOLDEN)
    for name in ("ru.txt", "ru.json.gz"):
        content = GOLDEN.read_bytes()
        (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
        test = read_testset(tmp_path / name, language="la")
        assert (test.language, test.categories, test.relations) == ("ru", plain.categories, plain.relations)


def test_every_format_is_tried_here():
    unclear = {format_ for formats, _ in AMBIGUOUS.values() for format_ in formats}
    only_named = {"relation-pairs"}
    known = {case[1] for case in KNOWN.values()} | unclear | {"testset"} | only_named
    assert known == set(dataset_formats())


# What can be read in several ways: the formats, and the text.
LISTS = "court,rex,regina\ntown,urbs,via,\n"
AMBIGUOUS = {
    "lists": (["category-lines", "word-lines"], LISTS),
    "few answers": (["bats", "muse", "word-category"], "rex\tcourt\nregina\tcourt\nurbs\ttown\nvia\ttown\n"),
    "two columns of words": (["bats", "muse"], "roma\titalia\nathenae\tgraecia\n"),
    "two words with a space": (["bats", "muse"], "roma italia\nathenae graecia\n"),
    "two words with a comma": (["bats", "muse"], "roma,italia\nathenae,graecia\n"),
    "few classes": (
        ["muse", "word-category"],
        "rex\tthe court\nregina\tthe court\nurbs\ta town\nvia\ta town\n",
    ),
    "four words": (["categories", "questions"], ": a\nrex regina dux miles\n: b\nurbs via forum porta\n"),
    "four words, several lines": (
        ["categories", "questions"],
        ":a\nrex regina dux miles\nurbs via ars pes\n",
    ),
}


@pytest.mark.parametrize("case", AMBIGUOUS)
def test_what_is_ambiguous_is_not_guessed(tmp_path, case):
    formats, text = AMBIGUOUS[case]
    path = write(tmp_path, {"set.txt": text})
    with pytest.raises(TestSetError) as raised:
        read_testset(path)
    ways = ", ".join(f"{each} ({dataset_formats()[each].what})" for each in formats)
    assert str(raised.value) == (
        f"{path}: its content can be read in several ways: {ways}; "
        f'name the right one, such as format="{formats[0]}" (score and tune: --test-format {formats[0]})'
    )
    assert all(read_testset(path, format_) for format_ in formats)


def test_what_ambiguous_files_hold(tmp_path):
    lists = write(tmp_path, {"set.txt": LISTS})
    assert part(read_testset(lists, "category-lines"), "categories") == CATEGORIES
    assert part(read_testset(lists, "word-lines"), "categories") == {
        "line 1": ("court", "rex", "regina"),
        "line 2": ("town", "urbs", "via"),
    }
    pairs = write(tmp_path, {"set.txt": AMBIGUOUS["few answers"][1]})
    assert part(read_testset(pairs, "word-category"), "categories") == CATEGORIES
    assert read_testset(pairs, "bats").analogies[0].pairs[1] == ("regina", ("court",))


def test_every_format_is_documented():
    documented = [
        row[0].strip("`") for row in rows(REPOSITORY / "docs" / "tables" / "datasets-formats.csv")[1:]
    ]
    assert sorted(documented) == sorted(dataset_formats())


def test_no_format_of_that_name(tmp_path):
    path = write(tmp_path, {"set.txt": QUESTIONS})
    with pytest.raises(TestSetError, match=r"'csv'.*auto, analogies-csv, bats, "):
        read_testset(path, "csv")


def test_what_is_in_no_format(tmp_path):
    path = write(tmp_path, {"set.txt": "Arma virumque cano, Troiae qui primus ab oris.\n"})
    with pytest.raises(TestSetError, match=r"not recognised.*'Arma virumque"):
        read_testset(path)


MULTI = "ID,FRA 1,FRA 2,FRA\n1,roi,reine,7\n"

# The format, the text, and the complaint after the file's name.
WRONG = [
    ("auto", ": s\na b c d\na b c\na b c d\n", ", line 3: 3 words; a question has four"),
    ("auto", "a\tb\tc\td\na\t\tc\td\na\tb\tc\td\n", ", line 2: 4 words; a question has four"),
    ("auto", ": s\na b c d\na b c e\n: s\na b c d\n", ", line 4: section 's' occurs twice; rename one"),
    ("questions", ": s\n: t\na b c d\n", ": section 's' has no question; remove its line"),
    ("auto", ":s\na b\n:s\na b\n", ", line 3: category 's' occurs twice; rename one"),
    ("auto", "a\tb/x\nc\td\ne\nf\tg\n", ", line 3: 1 fields; a word, a tab and its answers are needed"),
    ("bats", "a b\nc d\ne\n", ", line 3: 1 fields; a word, a space and its answers are needed"),
    ("bats", "a\tb\t1\n", ", line 1: 3 fields; a word, a tab and its answers"),
    ("bats", "a\tb\n", ": 1 pairs; an analogy needs two"),
    ("auto", "relation,a,b,c,d\nr,a,b,c\n", ", line 2: 4 fields; the first line names 5"),
    ("auto", "relation,a,b,c,d\nr,a,,c,d\n", ", line 2: an empty field; needed are relation, a, b, c, d"),
    ("auto", "relation,a,b,c,d\n", ", line 1: nothing follows the names of the columns"),
    ("analogies-csv", "r,a,b,c,d\n", ", line 1: the first line must name the columns relation, a"),
    ("auto", "a\tb\t1\na\tb\n\na\tb\t1\n", ", line 2: 2 fields; two words and their score are needed"),
    (
        "auto",
        "a\tb\t1\na\tb\t2\n\na\tb\tc\n",
        ", line 4: the score is 'c', which is not a number such as 3.5",
    ),
    (
        "auto",
        "a\tb\tc\na\tb\t2\na\tb\t2\n",
        ", line 1: the score is 'c', which is not a number such as 3.5; names",
    ),
    ("rated-pairs", "a;b;3,5\n", ", line 1: the score is '3,5', which is not a number"),
    ("rated-pairs", "a b nan\n", ", line 1: the score is 'nan', which is not a number"),
    ("rated-pairs", "a b\n", ", line 1: 2 fields; two words and their score"),
    ("rated-pairs", "a,,1\n", ", line 1: 2 fields; two words and their score"),
    ("rated-pairs", "word1,word2,score\n", ", line 1: no pair follows the names of the columns"),
    ("rated-pairs", ",,\n,,\n", ": all rows are empty"),
    ("auto", 'a,b,1\nc,d,1\ne,"f,1\n', ", line 3: cannot be split at ',': unexpected end of data"),
    ("auto", f"{MULTI}2,roi,reine\n", ", line 3: 3 fields; the first line names 4"),
    ("auto", f"{MULTI}1,roi,reine,6\n", ", line 3: the ID '1' occurs twice; rename one"),
    ("auto", f"{MULTI}2,roi,reine,x\n", ": ID 2: the score FRA is 'x', which is not a number"),
    (
        "auto",
        "ID,ENG 1,ENG 2,ENG\n1,a,b,1\n",
        ": no words and scores of language 'fr' in it; name one with language= (--language): ENG",
    ),
    ("auto", "ID,FRA 1,FRA 2\n1,a,b\n", ": no words and scores of language 'fr' in it; give the folder"),
    ("auto", "ID,FRA 1,FRA 2,FRA\n", ", line 1: nothing follows the names of the columns"),
    ("multi-simlex", "FRA 1,FRA 2,FRA\n", ", line 1: the first line must name the column ID"),
    ("auto", "category,outliers,words\nc,['a'],b c\n", ", line 2: 'b c' is not a list of words such as"),
    ("auto", "category,outliers,words\nc,['a'],[1]\n", ", line 2: '[1]' is not a list of words"),
    ("auto", "category,outliers,words\nc,[''],['a']\n", ", line 2: a list without words"),
    ("auto", "category,outliers,words\nc,['a'],exit()\n", ", line 2: 'exit()' is not a list of words"),
    ("auto", "category,outliers,words\nc,['a']\n", ", line 2: 2 fields; the first line names 3"),
    ("auto", "category,outliers,words\n" + "c,['a'],['b']\n" * 2, ", line 3: group 'c' occurs twice; rename"),
    ("auto", "category,outliers,words\n", ", line 1: nothing follows the names of the columns"),
    ("outliers-csv", "a,b\n", ", line 1: the first line must name the columns category, outliers, words"),
    ("outliers", "a\nb\n", ": 1 blocks of lines; members, a blank line and outliers are needed"),
    ("outliers", "a\n\nb\n\nc\n", ": 3 blocks of lines; members"),
    ("auto", "category,word,is_outlier\nc,a,perhaps\n", ", line 2: a category, a word and true or false"),
    ("auto", "category,word,is_outlier\nc,a,no\nc,b,no\n", ": the group 'c' needs members and outliers"),
    ("auto", "target,a,b\nc,d,\n", ", line 2: a word, its synonym and another option are needed"),
    ("auto", "target,word,is_solution\na,b,no\n", ": the question about 'a' needs right and wrong options"),
    ("auto", "target,word,is_solution\na,b,2\n", ", line 2: a word, an option and yes or no are needed"),
    ("synonym-questions", "a,b\nc,d\n", ", line 1: the first line must name a word (target) and options"),
    ("relation-pairs", "word1,word2,relation\na,b,r\n", ": relation 'r' has 1 pair; an analogy needs two"),
    ("relation-pairs", "word1,word2,relation\na,,r\n", ", line 2: an empty field; needed are relation"),
    ("auto", "category,word\nc,a\nc\n", ", line 3: 1 fields; the first line names 2"),
    ("auto", "category,word\n,a\n", ", line 2: the category is empty"),
    ("auto", "category,word\n", ", line 1: nothing follows the names of the columns"),
    ("categories-csv", "a,b\n", ", line 1: the first line must name the columns category, word"),
    ("category-lines", "c,a,b\nd\n", ", line 2: an empty field, or no word; a name and its words"),
    ("category-lines", "c,a,,b\n", ", line 1: an empty field, or no word"),
    ("category-lines", "c,a\nc,b\n", ", line 2: category 'c' occurs twice; rename one of them"),
    ("word-lines", "a,,b\n", ", line 1: an empty field; only words are needed"),
    ("word-category", "a\tc\nb\n", ", line 2: 1 fields; a word, a tab and its category are needed"),
    ("auto", "p\ta b\np\ta b c\nx y z\n", ", line 3: a label, a tab and a text are needed"),
    ("labelled-texts", "p\t\n", ", line 1: a label, a tab and a text are needed"),
    ("auto", "text,label\na b,p\na b,\n", ", line 3: a label and a text are needed"),
    ("auto", "text,label\na b,p\na b\n", ", line 3: a label and a text are needed"),
    ("auto", "text,label\n", ", line 1: no text follows the names of the columns"),
    ("text-table", "a,label\nb,c\n", ", line 1: the first line must name a column of texts"),
    ("auto", "__label__p a b\na b\n__label__p a b\n", ", line 2: no label; a line begins with __label__"),
    ("auto", "__label__p\n", ", line 1: one label and a text are needed"),
    ("auto", "__label__p __label__n a b\n", ", line 1: one label and a text are needed"),
]


@pytest.mark.parametrize(("format_", "text", "expected"), WRONG, ids=[f"{w[0]}{w[2]}"[:60] for w in WRONG])
def test_what_is_wrong_in_a_file_is_named_with_its_line(tmp_path, format_, text, expected):
    path = write(tmp_path, {"set.txt": text})
    with pytest.raises(TestSetError) as raised:
        read_testset(path, format_, "fr")
    assert str(raised.value).startswith(f"{path}{expected}")


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"a/x.txt": "a\tb\nc\td\n", "b/x.txt": "a\tb\nc\td\n"}, "b/x.txt: a second file is called 'x'"),
        ({"x.txt": "a\tb\nc\td\n", "y.txt": "a\tb\nc\n"}, "y.txt, line 2: 1 fields; a word, a tab"),
        (
            {"a/x.txt": "a\nb\n\nc\n", "b/x.txt": "a\nb\n\nc\n"},
            "b/x.txt: a second file is called 'x'; choose",
        ),
        ({"x.txt": "a\nb\n\nc\n", "y.txt": "a\nb\n"}, "y.txt: 1 blocks of lines"),
        (
            {"a.csv": MULTI, "b.csv": MULTI.replace("\n1", "\n2")},
            "b.csv: the ID '1' is in one of the files only",
        ),
        ({"a.csv": MULTI, "b.csv": ""}, "b.csv: all rows are empty"),
    ],
)
def test_what_is_wrong_in_a_folder_is_named_with_its_file(tmp_path, files, expected):
    path = write(tmp_path, files)
    if "" in files.values():
        with pytest.raises(TestSetError, match=re.escape(f"{path / expected}")):
            read_testset(path, "multi-simlex", "fr")
        return
    with pytest.raises(TestSetError, match=re.escape(str(path / Path(expected)))):
        read_testset(path, language="fr")


@pytest.fixture
def plugins(monkeypatch):
    """What other packages register."""
    found = {}
    monkeypatch.setattr(reading, "load_formats", lambda group, own, decorator: found)
    reading.dataset_formats.cache_clear()
    yield found
    reading.dataset_formats.cache_clear()


def test_a_new_format_is_one_function(plugins, tmp_path):
    path = write(tmp_path, {"set.txt": "%mine\nrex\n"})

    @reading.dataset_format("mine", rank=1, looks_like=lambda source: source.sample[0] == "%mine")
    def read_mine(source):
        return source.test_set(source.sample[1])

    plugins["mine"] = read_mine
    assert read_testset(path).language == read_testset(path, "mine").language == "rex"
