// Runs the search of the pages: the index is the file that is named first, the texts are the JSON of standard input.

import { readFileSync } from "node:fs";
import { languageRanks, languagesIn, plain, prepared, ranks, search } from "../../../testgen/serve/static/search.js";

const index = prepared(JSON.parse(readFileSync(process.argv[2], "utf8")));
const keys = (some) => some.map((each) => each.key);
const ranked = (found) => Object.fromEntries([...found].map(([each, rank]) => [each.key, rank]));
const answers = JSON.parse(readFileSync(0, "utf8")).map((text) => {
  const { found, unknown } = languagesIn(index, text), { isSimilar, languages, categories, lacking } = search(index, text);
  return {
    plain: plain(index.rules, text), named: keys([...found.keys()]), unknown, language_ranks: ranked(languageRanks(index, text)),
    category_ranks: ranked(ranks(index, text, index.categories)), is_similar: isSimilar, languages: keys(languages), categories: keys(categories), lacking: keys(lacking),
  };
});
console.log(JSON.stringify(answers));
