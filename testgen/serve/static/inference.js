// How sure a score is, and what it is shown to be above: the rules of evaluator/statistics/inference.py and of the verdicts.
//
// A test in Python compares both. Only what one model on the default settings needs is here: rates from 0 to 1, one training run.
//
// A measure is what the worker found of `own`, `frequency` and `spelling`, each a list of categories with what they vary with:
// { name, topic, value, chance, n, known, influences: [[observation, number]], outside: [[observation, number]], unknown: [observation] }.

const LEVEL = 0.05; // of tests and, from 1, of intervals
const LEAST_CATEGORIES = 6; // from so many on there is a test over categories
const LEAST_TOPICS = 4; // from so many on there is an interval for other categories
const CATEGORY_PRIOR = { variance: 0.2, weight: 0.1 }; // of a category that says nothing, and how much it counts
const PRIOR = 20; // as many words that are right, or wrong, have the weight of the model of luck
const POOLED = 4; // the share of known words of a category is mixed with that in all, which counts as 4 words
const ROUNDING = 1e-20;
export const FEW = 0.2; // of the test words: with fewer that are known, something must be wrong

const sum = (numbers) => {
  let found = 0;
  for (const each of numbers) found += each;
  return found;
};

function logGamma(x) {
  const terms = [76.18009172947146, -86.50532032941677, 24.01409824083091, -1.231739572450155, 0.1208650973866179e-2, -0.5395239384953e-5];
  if (x < 20) return logGamma(x + 1) - Math.log(x); // of larger numbers the series is exact enough
  const at = x + 5.5 - (x + 0.5) * Math.log(x + 5.5);
  return Math.log((2.5066282746310005 * terms.reduce((found, term, place) => found + term / (x + 1 + place), 1.000000000190015)) / x) - at;
}

/** The regularized incomplete beta function, by its continued fraction (Lentz). */
function beta(x, a, b) {
  if (x <= 0 || x >= 1) return x <= 0 ? 0 : 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - beta(1 - x, b, a);
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x)) / a, tiny = 1e-300;
  let found = 1, c = 1, d = 0;
  for (let step = 0; step < 500; step++) {
    const m = step >> 1;
    const term = step === 0 ? 1 : step % 2 ? (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1)) : (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / (1 + term * d || tiny);
    c = 1 + term / c || tiny;
    found *= c * d;
    if (Math.abs(1 - c * d) < 1e-15) break;
  }
  return front * (found - 1);
}

/** How probable it is that Student's t is as far from 0, in either direction. */
export const tails = (t, degrees) => beta(degrees / (degrees + t * t), degrees / 2, 0.5);

/** The t that is passed with this probability, in either direction. */
export function quantile(degrees, p) {
  let low = 0, high = 1;
  while (tails(high, degrees) > p) high *= 2;
  for (let step = 0; step < 80; step++) {
    const middle = (low + high) / 2;
    if (tails(middle, degrees) > p) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

const logFactorials = [0];
function binomial(n, share) {
  while (logFactorials.length <= n) logFactorials.push(logFactorials.at(-1) + Math.log(logFactorials.length));
  const times = (count, log) => (count ? count * log : 0);
  return Array.from({ length: n + 1 }, (_, hits) =>
    Math.exp(logFactorials[n] - logFactorials[hits] - logFactorials[n - hits] + times(hits, Math.log(share)) + times(n - hits, Math.log1p(-share))));
}

const triples = (n) => (n * (n - 1) * (n - 2)) / 6;

/** The best score of a category of n words if only some have a vector; and what a right word adds to the variance. */
const MEASURES = {
  "Topk@3": { best: (known, n) => (known * Math.min(Math.max(known - 1, 0), 3)) / (n * 3), trialsOfAWord: 1.2 },
  "OddOneOut@3": { best: (known, n) => (n >= 3 ? triples(known) / triples(n) : 0), trialsOfAWord: 1 },
};

/** A score, and how it varies with the words of its test set: the jackknife's variance, mixed with that of a model of luck. */
function variation(measure, categories) {
  const weight = 1 / categories.length, single = new Map(), shares = new Map();
  const add = (to, name, number) => to.set(name, (to.get(name) ?? 0) + number);
  const names = new Set(), known = new Set();
  for (const { influences, outside, unknown } of categories) {
    const without = new Set(unknown);
    for (const [name, number] of [...influences, ...outside]) add(single, name, weight * number);
    for (const [name] of influences) {
      add(shares, name, weight / influences.length);
      names.add(name);
      if (!without.has(name)) known.add(name);
    }
  }
  const value = Math.min(Math.max(sum(categories.map((each) => each.value)) * weight, 0), 1);
  const effective = 1 / sum([...shares.values()].map((each) => each * each));
  const squares = sum([...single.values()].map((each) => each * each)), degrees = Math.max(effective - 1, 1);
  const luck = luckOf(MEASURES[measure], categories, weight, value, squares, effective), model = luck.known + luck.right;
  const seen = luck.trust < 1 ? squares / luck.telling : model;
  const variance = ((1 - luck.trust) * seen + luck.trust * model) / luck.scale;
  return { value, single, degrees, luck, variance, known, unknown: new Set([...names].filter((name) => !known.has(name))) };
}

/** The variance if words have a vector by luck, and known words are right by luck. */
function luckOf(measure, categories, weight, value, squares, effective) {
  const total = Math.max(sum(categories.map((each) => each.known)), 0.25), words = sum(categories.map((each) => each.n));
  let ofKnown = 0, ofRight = 0, mean = 0, ceiling = 0, tells = 0, perWord = 0;
  for (const { n, known } of categories) {
    const best = Array.from({ length: n + 1 }, (_, count) => measure.best(count, n));
    const probability = binomial(n, (known + (POOLED * total) / words) / (n + POOLED));
    const expected = sum(best.map((each, count) => each * probability[count]));
    ofKnown += weight ** 2 * Math.max(sum(best.map((each, count) => each ** 2 * probability[count])) - expected ** 2, 0);
    ofRight += weight ** 2 * sum(best.map((each, count) => (probability[count] * each ** 2) / Math.max(count, 1)));
    mean += weight * expected;
    ceiling += weight * best[known];
    perWord += weight ** 2 / n;
    if (best[n - 1] > 0) tells += weight ** 2 / n; // else leaving a word out says nothing of how a category varies
  }
  const least = 0.25 / Math.max(total, 1), q = Math.min(Math.max(ceiling > 0 ? value / ceiling : 0.5, least), 1 - least);
  const rate = Math.max(q * mean, ROUNDING), scale = value * (1 - value) || rate * (1 - rate);
  const apart = sum(categories.flatMap(({ influences }) => influences.map(([, number]) => (weight * number) ** 2)));
  const most = 1 / (effective * perWord), wider = ((apart > 0 ? Math.min(Math.max(squares / apart, 1), most) : most) * scale) / (rate * (1 - rate));
  const telling = tells / perWord, right = effective * Math.min(value, 1 - value) * telling;
  return { known: q * q * ofKnown * wider, right: measure.trialsOfAWord * q * (1 - q) * ofRight * wider, trust: PRIOR / (right + PRIOR), telling, scale };
}

/** Wilson's interval (1927) with a quantile of Student's t. */
function wilson({ value, variance, degrees }) {
  const t = quantile(degrees, LEVEL), weight = t ** 2 * variance, middle = (value + weight / 2) / (1 + weight);
  const half = (t * Math.sqrt(value * (1 - value) * variance + (weight * variance) / 4)) / (1 + weight);
  return [value <= 0 ? 0 : Math.max(middle - half, 0), value >= 1 ? 1 : Math.min(middle + half, 1)];
}

const ofDifference = (one, other, correlation) => Math.max(one + other - 2 * correlation * Math.sqrt(one * other), 0);

/** The variance of the difference of two scores of the same words, and its degrees of freedom. */
function spreadOfDifference(first, second) {
  const names = [...new Set([...first.single.keys(), ...second.single.keys()])], one = first.luck, other = second.luck;
  const sides = names.map((name) => [first.single.get(name) ?? 0, second.single.get(name) ?? 0]);
  const squares = sum(sides.map(([before, after]) => (after - before) ** 2));
  const [ofFirst, ofSecond] = [0, 1].map((side) => sum(sides.map((each) => each[side] ** 2)));
  const products = sum(sides.map(([before, after]) => before * after));
  const together = Math.min(ofFirst, ofSecond) < ROUNDING ? 0 : Math.min(Math.max(products / Math.sqrt(ofFirst * ofSecond), -1), 1);
  const trust = Math.sqrt(one.trust * other.trust), telling = Math.min(one.telling, other.telling);
  const model = ofDifference(one.known, other.known, sameKnown(first, second)) + ofDifference(one.right, other.right, telling * together);
  const found = telling > 0 ? squares / telling : model;
  return { variance: (1 - trust) * found + trust * model, degrees: Math.min(first.degrees, second.degrees) };
}

/** The correlation φ of having a vector in two models; 0 if one of them knows all words or none. */
function sameKnown(first, second) {
  const counts = [first.known, first.unknown, second.known, second.unknown].map((each) => each.size);
  if (counts.includes(0)) return 0;
  const both = (one, other) => sum([...one].map((name) => other.has(name)));
  const agree = both(first.known, second.known) * both(first.unknown, second.unknown);
  return (agree - both(first.known, second.unknown) * both(first.unknown, second.known)) / Math.sqrt(counts.reduce((all, count) => all * count, 1));
}

/** P that a difference is 0, by a two-sided t-test. */
function pOf(value, { variance, degrees }, observations) {
  return tails(Math.abs(value) / (variance > ROUNDING ? Math.sqrt(variance) : 1 / observations), degrees);
}

/** How the mean over categories would vary with others like them; null if too few are independent. */
function spreadOverCategories(categories, least = LEAST_CATEGORIES) {
  const weight = 1 / categories.length, sets = categories.map(({ influences }) => new Set(influences.map(([name]) => name)));
  const shared = categories.map((one, row) => categories.map((other, column) => {
    if (row === column || (one.topic && one.topic === other.topic)) return 1;
    const both = sum([...sets[row]].map((name) => sets[column].has(name)));
    return both / Math.max(sets[row].size + sets[column].size - both, 1);
  }));
  const number = 1 / (weight ** 2 * sum(shared.flat()));
  if (number < least - 1e-9) return null;
  const value = sum(categories.map((each) => each.value)) * weight, away = categories.map((each) => weight * (each.value - value));
  const variance = Math.max(sum(shared.flatMap((row, one) => row.map((share, other) => away[one] * share * away[other]))), 0);
  return { value, number, variance: (variance * number) / (number - 1), degrees: number - 1 };
}

/** The lower end of the 95% interval of a score for other categories like these; null if there is none. */
function lowForCategories(categories) {
  const found = spreadOverCategories(categories, LEAST_TOPICS);
  if (!found) return null;
  const value = Math.min(Math.max(found.value, 0), 1), binomial = value * (1 - value), weight = found.number * Math.min(value, 1 - value);
  const each = binomial > 0 ? found.variance / binomial : 0;
  const variance = (weight * each + CATEGORY_PRIOR.weight * (CATEGORY_PRIOR.variance / found.number)) / (weight + CATEGORY_PRIOR.weight);
  return wilson({ value, variance, degrees: found.degrees })[0];
}

/** Whether tests show a score to be above that of a baseline: on these categories, and on others like them. */
function above(own, level, ofOwn, ofLevel) {
  const changes = own.map((each, number) => ({ ...each, value: each.value - level[number].value }));
  const value = sum(changes.map((each) => each.value)) / changes.length;
  const observations = new Set([...own, ...level].flatMap(({ influences }) => influences.map(([name]) => name))).size;
  const others = spreadOverCategories(changes);
  return {
    words: value > 0 && pOf(value, spreadOfDifference(ofLevel, ofOwn), observations) < LEVEL,
    categories: value > 0 && others !== null && pOf(others.value, others, others.number) < LEVEL,
  };
}

const mean = (categories, attribute) => sum(categories.map((each) => each[attribute])) / categories.length;

/** The score by a measure with all that it is judged by, as a line of `evaluator score` has it. */
export function judged(measure, { own, frequency, spelling }) {
  const found = variation(measure, own), [low, high] = wilson(found), chance = mean(own, "chance");
  const levels = Object.entries({ frequency, spelling }).filter(([, level]) => level);
  const names = levels.map(([name]) => name);
  const tests = levels.map(([name, level]) => [name, above(own, level, found, variation(measure, level))]);
  const lacking = [...(low > chance ? [] : ["chance"]), ...tests.filter(([, test]) => !test.words).map(([name]) => name)];
  const least = lowForCategories(own), others = least !== null && least > chance && tests.every(([, test]) => test.categories);
  const these = others ? "also for other categories like these" : "on these categories";
  const verdict = lacking.length
    ? `not shown to be above ${(lacking[0] === "chance" ? ["chance"] : lacking).join(" or ")}`
    : levels.length ? `above ${names.join(" and ")}, ${these}` : "above chance";
  return { measure, value: found.value, low, high, chance, frequency: frequency && mean(frequency, "value"), spelling: spelling && mean(spelling, "value"), levels: ["chance", ...names], lacking, verdict };
}

/** A number of three decimals, rounded as Python does: what lies between two goes to the even one. */
function rounded(value) {
  const text = value.toFixed(3), isBetween = (value * 16) % 2 === 1; // only odd sixteenths can
  return isBetween && Number(text.at(-1)) % 2 ? (value - 0.0005).toFixed(3) : text;
}

/** A score as in the first look of evaluator, which may be missing. */
export const digits = (value) => (value === null ? "–" : value > 0 && value < 0.0005 ? "< 0.001" : rounded(value));

/** The line of a judged measure in the table of scores, as terminal and report have it. */
export const line = ({ measure, value, low, high, chance, frequency, spelling, verdict }) => [
  measure, digits(value), `${rounded(low)} to ${rounded(high)}`, ...[chance, frequency, spelling].map(digits), verdict,
];

const listed = (names, last) => [names.slice(0, -1).join(", "), names.at(-1)].filter(Boolean).join(` ${last} `);

/** What is told of levels, each with the measures of which it is true. */
function aboveBy(scores, levelsOf, last) {
  const by = new Map();
  for (const each of scores) {
    const levels = levelsOf(each);
    by.set(levels, [...(by.get(levels) ?? []), each.measure]);
  }
  return [...by].map(([levels, measures]) => `above ${levels} by ${listed(measures, last)}`).join(`, ${last} `);
}

/** Whether to keep the model, by some judged measures: the closing line of `evaluator score` of one model. */
export function closing(name, scores, known, words) {
  const able = scores.filter((each) => !each.lacking.length);
  if (able.length) return `Keep ${name}: it is shown to be ${aboveBy(able, (each) => listed(each.levels, "and"), "and")}.`;
  const nearest = scores.map((each) => each.lacking).reduce((least, each) => (each.length < least.length ? each : least));
  const missing = ({ lacking }) => (lacking.includes("chance") ? "chance" : lacking.join(" or "));
  const tests = scores.length > 1 ? "these tests" : "this test";
  const not = `it is not shown to be ${aboveBy(scores, missing, "or")}`;
  return `Do not keep this model by ${tests}: ${not}. ${advice(nearest, known, words)}`;
}

function advice(lacking, known, words) {
  const count = (number) => number.toLocaleString("en");
  if (known < FEW * words) {
    return `Only ${count(known)} of ${count(words)} test words are known: train on more text, lower the minimum count, or see what \`evaluator coverage\` advises.`;
  }
  if (lacking.includes("chance")) return "Train for more epochs, or on more text.";
  if (lacking.includes("frequency")) return "Train for more epochs, or score by OddOneOut(out=matched)@3, where frequency is no help.";
  return "Train word2vec, which does not see letters, or train on more text.";
}
