"""Categories as lines `court = rex regina dux`."""

from evaluator.plugins import Category, Item, dataset_format


def looks_like_named_lists(source):
    return bool(source.sample) and all(" = " in line for line in source.sample)


@dataset_format("named-lists", rank=1, looks_like=looks_like_named_lists)
def read_named_lists(source):
    categories = []
    for number, line in source.file.lines:
        name, equals, words = line.partition(" = ")
        if not equals:
            source.file.fail(number, "no ` = ` in it; write: name = word word word")
        items = tuple(Item(word, (word,)) for word in words.split())
        categories.append(Category(name, name, items))
    return source.test_set(categories=tuple(categories))
