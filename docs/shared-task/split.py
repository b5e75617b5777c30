"""Split a test set into a public and a hidden half, by item: python split.py la.json SECRET public hidden."""

import hashlib
import json
import sys
from pathlib import Path

LEAST = 3  # items of a category in each half: fewer cannot be scored


def is_secret(word, public, hidden, secret):
    """A related word is hidden if items with it are, public if they are; of all others half are hidden."""
    if word in public or word in hidden:
        return word in hidden
    return bool(hashlib.sha256(f"{secret} {word}".encode()).digest()[0] % 2)


def main(path, secret, public, hidden):
    content = json.loads(Path(path).read_text(encoding="utf-8"))
    sections = [*content["categories"], *content.get("relations", [])]
    drawn = {
        item["id"]
        for section in sections
        for item in section["items"]
        if hashlib.sha256(f"{secret} {item['id']}".encode()).digest()[0] % 2
    }
    # An item that shares a word with a hidden one is hidden, too: nobody can train on a hidden word.
    words = {
        word
        for section in sections
        for item in section["items"]
        if item["id"] in drawn
        for word in item["words"]
    }
    secret_items = {
        item["id"]
        for section in sections
        for item in section["items"]
        if item["id"] in drawn or words & set(item["words"])
    }
    every = [item for section in sections for item in section["items"]]
    known = [
        {word for item in every if (item["id"] in secret_items) == side for word in item["words"]}
        for side in (False, True)
    ]
    for folder, is_hidden in ((public, False), (hidden, True)):
        half = {**content, "categories": [], "relations": [], "groups": []}
        for category in content["categories"]:
            both = [
                [i for i in category["items"] if (i["id"] in secret_items) == side] for side in (False, True)
            ]
            if min(map(len, both)) >= LEAST:
                half["categories"].append({**category, "items": both[is_hidden]})
        for family in content.get("groups", []):
            items = [
                {**item, "words": own}
                for item in family["items"]
                if (own := [word for word in item["words"] if is_secret(word, *known, secret) == is_hidden])
            ]
            half["groups"] += [{**family, "items": items}] if items else []
        Path(folder).mkdir(exist_ok=True)
        text = json.dumps(half, ensure_ascii=False, indent=1) + "\n"
        (Path(folder) / Path(path).name).write_text(text, encoding="utf-8")
        items = sum(len(category["items"]) for category in half["categories"])
        print(f"{folder}/{Path(path).name}: {len(half['categories'])} categories, {items} items")


main(*sys.argv[1:])
