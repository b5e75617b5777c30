// Reads vectors and scores them on a test set, in a worker. It sends no request: it gets a file and a test set, and answers.
//
// The definitions are those of `evaluator score` with its default settings: case is folded, OOV words are misses.

const K = 3;
const MOST_BYTES = 1.2e9; // of the matrix
const MOST_PAIRS = 5e9; // of OddOneOut: 12 seconds at 0.4·10⁹ a second
const TIE = 2 ** -20; // cosines that differ by less are equal, as in evaluator
const ROUND = 2 ** 40; // cosines that are equal when they are rounded so are ties of neighbours
const LEAST_WORDS = 3; // of a category
const NEWLINE = 10, SPACE = 32, TAB = 9, RETURN = 13;

class Refusal extends Error {}

let last = 0;
function progress(text, share) {
  if (performance.now() - last < 100) return;
  last = performance.now();
  postMessage({ progress: text, share });
}

/** The words of a test set and of vectors are compared in this form. */
function folder(language, folding) {
  const turkic = folding.turkic.includes(language), table = new Map(Object.entries(folding.table));
  return (word) => {
    let undotted = word.replaceAll("İ", "i").replaceAll("I\u0307", "i").replaceAll("i\u0307", "i");
    if (turkic) undotted = undotted.replaceAll("I", "ı");
    let folded = "";
    for (const letter of undotted) folded += table.get(letter) ?? letter;
    return folded;
  };
}

// Reading: each reader gives words and a matrix of the first rows of a file.

class Table {
  constructor(rows, dimension, most) {
    if (!(rows >= 1 && dimension >= 1 && dimension < 1e6)) throw new Refusal(`The first line says ${rows} rows of ${dimension} numbers, which cannot be.`);
    this.rows = Math.min(rows, most);
    const bytes = this.rows * dimension * 4;
    if (bytes > MOST_BYTES) {
      const fits = Math.floor(MOST_BYTES / dimension / 4).toLocaleString("en");
      throw new Refusal(`${this.rows.toLocaleString("en")} words of ${dimension} numbers need ${(bytes / 1e9).toFixed(1)} GB, which is too much for a page. Use the ${fits} most frequent words, or evaluator.`);
    }
    this.dimension = dimension;
    this.words = [];
    this.matrix = new Float32Array(this.rows * dimension);
  }

  get full() {
    return this.words.length === this.rows;
  }

  add(bytes) {
    this.words.push(decode(bytes, this.words.length + 1));
    if (this.words.length % 1000 === 0) progress(`${this.words.length.toLocaleString("en")} words read`, this.words.length / this.rows);
  }

  finished() {
    if (!this.full) throw new Refusal(`The file ends after ${this.words.length.toLocaleString("en")} of ${this.rows.toLocaleString("en")} rows. Fetch it again.`);
    return this;
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
function decode(bytes, row) {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new Refusal(`Row ${row}: the word is not UTF-8. Write the file again in UTF-8, or use evaluator.`);
  }
}

/** Bytes of a stream, a chunk and what was left of the one before at a time. */
class Source {
  constructor(stream) {
    this.reader = stream.getReader();
    this.bytes = new Uint8Array(0);
    this.at = 0;
    this.ended = false;
  }

  async more() {
    let next;
    try {
      next = await this.reader.read();
    } catch {
      throw new Refusal("The file cannot be unpacked: it is damaged or cut off. Fetch it again.");
    }
    this.ended = next.done;
    if (next.done) return;
    const left = this.bytes.subarray(this.at), joined = new Uint8Array(left.length + next.value.length);
    joined.set(left);
    joined.set(next.value, left.length);
    [this.bytes, this.at] = [joined, 0];
  }

  /** The next bytes up to one of this value, without it; null at the end. */
  async upTo(value, most = 1 << 26) {
    for (let seen = 0; ; ) {
      const end = this.bytes.indexOf(value, this.at + seen);
      if (end >= 0) return this.take(end, end + 1);
      if (this.ended) return this.at < this.bytes.length ? this.take(this.bytes.length, this.bytes.length) : null;
      seen = this.bytes.length - this.at;
      if (seen > most) throw new Refusal("These are not vectors in a form that this page reads: .vec, .vec.gz, .bin or .safetensors.");
      await this.more();
    }
  }

  take(end, next) {
    const found = this.bytes.subarray(this.at, end);
    this.at = next;
    return found;
  }

  async exactly(count) {
    while (this.bytes.length - this.at < count && !this.ended) await this.more();
    return this.bytes.length - this.at < count ? null : this.take(this.at + count, this.at + count);
  }
}

async function header(source, most) {
  const line = await source.upTo(NEWLINE, 256);
  const match = /^\uFEFF?\s*(\d+)\s+(\d+)\s*$/.exec(new TextDecoder("utf-8", { ignoreBOM: true }).decode(line ?? new Uint8Array(0)));
  if (!match) throw new Refusal("The first line must be the number of words and of dimensions, such as 5000 100. Files without it, and fastText's own .bin files, are read by evaluator.");
  return new Table(Number(match[1]), Number(match[2]), most);
}

async function readText(source, most) {
  const table = await header(source, most), { dimension, matrix } = table;
  const starts = new Int32Array(dimension + 1);
  while (!table.full) {
    const line = await source.upTo(NEWLINE);
    if (line === null) break;
    let end = line.length;
    const blank = (byte) => byte === SPACE || byte === TAB || byte === RETURN;
    while (end > 0 && blank(line[end - 1])) end--;
    if (end === 0) continue;
    starts[dimension] = end + 1;
    let place = end;
    for (let field = dimension - 1; field >= 0; field--) {
      while (place > 0 && !blank(line[place - 1])) place--;
      starts[field] = place;
      while (place > 0 && blank(line[place - 1])) place--;
    }
    const row = table.words.length;
    if (place <= 0) throw new Refusal(`Row ${row + 1} has fewer than ${dimension} numbers after the word.`);
    for (let field = 0, to = row * dimension; field < dimension; field++, to++) {
      let stop = starts[field];
      while (stop < end && !blank(line[stop])) stop++;
      matrix[to] = numberIn(line, starts[field], stop);
    }
    table.add(line.subarray(0, place));
  }
  return table.finished();
}

const POWERS = Array.from({ length: 23 }, (_, power) => 10 ** power);

/** The number in some bytes: exact from up to 15 digits, as the language reads it from more. */
function numberIn(bytes, start, end) {
  let place = start, digits = 0, decimals = 0, value = 0;
  const negative = bytes[place] === 45;
  if (negative || bytes[place] === 43) place++;
  for (let point = false; place < end; place++) {
    const digit = bytes[place] - 48;
    if (digit >= 0 && digit <= 9) {
      value = value * 10 + digit;
      digits++;
      if (point) decimals++;
    } else if (bytes[place] === 46 && !point) point = true;
    else break;
  }
  if (place < end || digits === 0 || digits > 15) return Number(String.fromCharCode(...bytes.subarray(start, end)));
  value /= POWERS[decimals];
  return negative ? -value : value;
}

async function readBinary(source, most) {
  const table = await header(source, most), { dimension, matrix } = table;
  while (!table.full) {
    let word = await source.upTo(SPACE, 1 << 16);
    if (word === null) break;
    while (word[0] === NEWLINE) word = word.subarray(1);
    const kept = word.slice(), numbers = await source.exactly(4 * dimension);
    if (numbers === null) break;
    matrix.set(new Float32Array(numbers.slice().buffer), table.words.length * dimension);
    table.add(kept);
  }
  return table.finished();
}

async function readSafetensors(file, most) {
  const length = Number(new DataView(await file.slice(0, 8).arrayBuffer()).getBigUint64(0, true));
  let described = null;
  try {
    described = JSON.parse(await file.slice(8, 8 + length).text());
  } catch {}
  const { matrix, words } = described ?? {};
  if (matrix?.dtype !== "F32" || !words) throw new Refusal("This .safetensors file has no tensors “matrix” and “words”, as evaluator convert writes them.");
  const part = (tensor, bytes) => file.slice(8 + length + tensor.data_offsets[0], 8 + length + (bytes ? tensor.data_offsets[0] + bytes : tensor.data_offsets[1]));
  const table = new Table(...matrix.shape, most);
  table.words = JSON.parse(await part(words).text()).slice(0, table.rows);
  const read = await part(matrix, 4 * table.rows * table.dimension).arrayBuffer();
  if (read.byteLength < table.matrix.byteLength) throw new Refusal("The file is cut off. Fetch it again.");
  table.matrix = new Float32Array(read);
  return table.finished();
}

async function read(file, most) {
  const name = file.name.toLowerCase(), zipped = name.endsWith(".gz"), kind = name.replace(/\.gz$/, "").split(".").pop();
  if (kind === "safetensors" && !zipped) return readSafetensors(file, most);
  const source = new Source(zipped ? file.stream().pipeThrough(new DecompressionStream("gzip")) : file.stream());
  if (kind === "bin") return readBinary(source, most);
  if (kind === "vec" || kind === "txt") return readText(source, most);
  throw new Refusal(`${file.name}: this page reads .vec, .vec.gz, .bin and .safetensors. For other forms, use evaluator.`);
}

// Scoring.

/** Of words that are the same when folded, the most frequent one; lengths of vectors. */
function lookup(table, fold) {
  const rowOf = new Map(), rows = [], { dimension, matrix } = table;
  table.words.forEach((word, row) => {
    const key = fold(word);
    if (rowOf.has(key)) return;
    rowOf.set(key, rows.length);
    rows.push(row);
  });
  const starts = Int32Array.from(rows, (row) => row * dimension), lengths = new Float64Array(rows.length);
  starts.forEach((start, place) => {
    let sum = 0;
    for (let at = start; at < start + dimension; at++) sum += matrix[at] * matrix[at];
    if (!(sum > 0 && sum < Infinity)) throw new Refusal(`Row ${rows[place] + 1}, “${table.words[rows[place]]}”: its numbers are all zero, or one is no number. Correct it, or use evaluator with --bad-rows drop.`);
    lengths[place] = Math.sqrt(sum);
  });
  // Rows of the file that stand before place n of the vocabulary: what --vocabulary counts.
  return { rowOf, rows, starts, lengths };
}

/** Unit vectors of some words, in double precision. */
function unit({ dimension, matrix }, { starts, lengths }, places) {
  return places.map((place) => Float64Array.from(matrix.subarray(starts[place], starts[place] + dimension), (value) => value / lengths[place]));
}

/** Cosines of four words to each word of the vocabulary. */
function cosines({ dimension, matrix }, { starts, lengths }, [a, b, c, d], size, into) {
  const whole = dimension;
  for (let place = 0; place < size; place++) {
    const start = starts[place];
    let one = 0, two = 0, three = 0, four = 0;
    for (let at = 0; at < whole; at++) {
      const value = matrix[start + at];
      one += value * a[at];
      two += value * b[at];
      three += value * c[at];
      four += value * d[at];
    }
    const length = lengths[place];
    into[0][place] = one / length;
    into[1][place] = two / length;
    into[2][place] = three / length;
    into[3][place] = four / length;
  }
}

/** Calls `use` with each of some words and its cosines to the first `size` words of the vocabulary. */
function each(table, vocabulary, places, size, what, use) {
  const vectors = unit(table, vocabulary, places), into = [0, 1, 2, 3].map(() => new Float64Array(size));
  for (let first = 0; first < places.length; first += 4) {
    const four = [0, 1, 2, 3].map((more) => vectors[Math.min(first + more, vectors.length - 1)]);
    cosines(table, vocabulary, four, size, into);
    for (let more = 0; more < 4 && first + more < places.length; more++) use(first + more, into[more]);
    progress(what, first / places.length);
  }
}

function nearest(similar, own) {
  const values = new Float64Array(K).fill(-Infinity), words = new Int32Array(K).fill(-1);
  let least = -Infinity;
  for (let place = 0; place < similar.length; place++) {
    if (similar[place] + 1 / ROUND <= least || place === own) continue;
    const value = Math.round(similar[place] * ROUND) / ROUND;
    if (value <= least) continue;
    let rank = K - 1;
    for (; rank > 0 && values[rank - 1] < value; rank--) [values[rank], words[rank]] = [values[rank - 1], words[rank - 1]];
    [values[rank], words[rank]] = [value, place];
    least = values[K - 1];
  }
  return words;
}

function topk(table, vocabulary, categories, size) {
  const places = [...new Set(categories.flatMap((category) => category.known))], near = new Map();
  each(table, vocabulary, places, size, "Topk", (number, similar) => near.set(places[number], nearest(similar, places[number])));
  return categories.map(({ known, words }) => {
    const members = new Set(known);
    const hits = known.length < 2 || size <= K ? 0 : known.reduce((sum, place) => sum + near.get(place).reduce((found, word) => found + members.has(word), 0), 0);
    return { value: hits / (words.length * K), chance: known.length * (known.length - 1) / (size - 1) / words.length };
  });
}

const triples = (n) => n * (n - 1) * (n - 2) / 6;

/** How many pairs (S, w) OddOneOut compares in the first words of a vocabulary. */
const pairs = (categories, size) => size * categories.reduce((sum, { known }) => sum + triples(known.filter((place) => place < size).length), 0);

function oddOneOut(table, vocabulary, categories, size) {
  let done = 0;
  const all = pairs(categories, size);
  return categories.map(({ known: everywhere, words }) => {
    const known = everywhere.filter((place) => place < size), n = known.length;
    const ceiling = triples(n) / triples(words.length);
    if (n < K || n >= size) return { value: 0, chance: ceiling / (K + 1) };
    const similar = known.map(() => new Float32Array(size - n)), members = new Set(known), gram = known.map(() => new Float64Array(n));
    each(table, vocabulary, known, size, "OddOneOut", (number, found) => {
      known.forEach((place, other) => gram[number][other] = found[place]);
      for (let place = 0, to = 0; place < size; place++) if (!members.has(place)) similar[number][to++] = found[place];
    });
    let hits = 0;
    const sums = new Float64Array(size - n);
    for (let a = 0; a < n; a++) {
      for (let b = a + 1; b < n; b++) {
        for (let place = 0; place < sums.length; place++) sums[place] = similar[a][place] + similar[b][place];
        for (let c = b + 1; c < n; c++) hits += odd(similar[a], similar[b], similar[c], sums, gram[a][b], gram[a][c], gram[b][c]);
        done += (n - b - 1) * size;
        progress("OddOneOut", done / all);
      }
    }
    return { value: hits / (triples(words.length) * (size - n)), chance: ceiling / (K + 1) };
  });
}

/** In how many words w the sums of similarities to w are below those within a triple, for each of its words. */
function odd(x, y, z, xy, ab, ac, bc) {
  const ofC = ac + bc - 2 * TIE, ofB = ab + bc - 2 * TIE, ofA = ab + ac - 2 * TIE;
  let hits = 0;
  for (let place = 0; place < xy.length; place++) {
    const last = z[place];
    hits += (xy[place] < ofC) & (x[place] + last < ofB) & (y[place] + last < ofA);
  }
  return hits;
}

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

async function score({ file, testSet, folding, most }) {
  const table = await read(file, most), fold = folder(testSet.language, folding);
  const vocabulary = lookup(table, fold), size = vocabulary.rows.length;
  const categories = testSet.categories.filter((category) => !category.level).map(({ name, title, items }) => {
    const words = [...new Set(items.flatMap((item) => item.words).map(fold))];
    return { name, title, words, known: words.map((word) => vocabulary.rowOf.get(word)).filter((place) => place !== undefined) };
  }).filter(({ words }) => words.length >= LEAST_WORDS);
  if (!categories.length) throw new Refusal("The test set has no category of three words.");
  let odds = size;
  if (pairs(categories, size) > MOST_PAIRS) {
    let least = 1;
    while (odds - least > 1) {
      const middle = (least + odds) >> 1;
      if (pairs(categories, middle) > MOST_PAIRS) odds = middle;
      else least = middle;
    }
    odds = least;
  }
  const near = topk(table, vocabulary, categories, size), far = oddOneOut(table, vocabulary, categories, odds);
  const words = new Set(categories.flatMap((category) => category.words));
  return {
    topk: mean(near.map((each) => each.value)), topkChance: mean(near.map((each) => each.chance)),
    oddOneOut: mean(far.map((each) => each.value)), oddOneOutChance: mean(far.map((each) => each.chance)),
    words: words.size, known: [...words].filter((word) => vocabulary.rowOf.has(word)).length,
    vocabulary: table.rows, oddVocabulary: odds < size ? vocabulary.rows[odds] : table.rows,
    categories: categories.map(({ title, words, known }, place) => ({ title, words: words.length, known: known.length, topk: near[place].value, oddOneOut: far[place].value })),
  };
}

onmessage = async ({ data }) => {
  try {
    postMessage({ result: await score(data) });
  } catch (error) {
    const tooLarge = error instanceof RangeError ? "The file needs more memory than the browser gives. Use fewer words, or evaluator." : `This file cannot be read: ${error.message}`;
    postMessage({ problem: error instanceof Refusal ? error.message : tooLarge });
  }
};
