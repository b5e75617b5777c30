// Judges what the worker of the page found: the JSON of standard input.

import { readFileSync } from "node:fs";
import { closing, digits, judged, line, quantile, tails } from "../../../testgen/serve/static/inference.js";

const { name, found, degrees, numbers } = JSON.parse(readFileSync(0, "utf8"));
const scores = Object.entries(found.measures).map(([measure, every]) => judged(measure, every));
console.log(JSON.stringify({
  scores, lines: scores.map(line), digits: numbers.map(digits), closing: closing(name, scores, found.known, found.words),
  t: degrees.map((each) => [quantile(each, 0.05), tails(2.5, each)]),
}));
