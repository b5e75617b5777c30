"""Write the vectors of two made-up teams: `python teams.py TESTSETS FOLDER`; `noise` sends random numbers."""

import json
import random
import sys
from pathlib import Path

test_sets, folder = map(Path, sys.argv[1:])
folder.mkdir()
for path in sorted(test_sets.glob("*.json")):
    categories = json.loads(path.read_text(encoding="utf-8"))["categories"]
    for team, strength in (("noise", 0), ("good", 2)):
        draw, rows = random.Random(f"{team} {path.stem}"), {}
        for category in categories:
            centre = [draw.gauss(0, 1) for _ in range(10)]
            for word in (word for item in category["items"] for word in item["words"]):
                rows[word] = " ".join(f"{strength * x + draw.gauss(0, 1):.3f}" for x in centre)
        order = draw.sample(sorted(rows.items()), len(rows))
        lines = [f"{len(rows)} 10", *(f"{word.replace(' ', '_')} {row}" for word, row in order)]
        (folder / f"{team}.{path.stem}.vec").write_text("\n".join(lines) + "\n", encoding="utf-8")
