// Reads vectors and scores them on a test set, in a worker. It sends no request: it gets a file and a test set, and answers.
//
// The definitions are those of `evaluator score` with its default settings: case is folded, OOV words are misses.
//
// There are as many workers as processors. The first one reads the file and deals its rows to all in turn, so that each has
// an equal share of any number of most frequent words. Each compares the words of the test set with its own rows.

const K = 3;
const NEAR = K + 1; // if one of the nearest is taken away, the next word moves up
const MOST_BYTES = 1.2e9; // of the matrix
const MOST_PAIRS = 5e9; // of OddOneOut: 12 seconds at 0.4·10⁹ a second
const TIE = 2 ** -20; // cosines that differ by less are equal, as in evaluator
const ROUND = 2 ** 40; // cosines that are equal when they are rounded so are ties of neighbours
const LEAST_WORDS = 3; // of a category
const TILE = 128; // rows compared at a time, so that they stay in the cache of a processor
const LONGEST_WORD = 1 << 16;
const NEWLINE = 10, SPACE = 32, TAB = 9, RETURN = 13;

let ports = [], parts = 1, isHelper = false; // the other workers, how many there are, and whether this is one of them

class Refusal extends Error {}

let last = 0;
function progress(text, share) {
  if (isHelper || performance.now() - last < 100) return;
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
    this.every = rows; // of the file
    this.rows = Math.min(rows, most);
    const bytes = this.rows * dimension * 4;
    if (bytes > MOST_BYTES) {
      const fits = Math.floor(MOST_BYTES / dimension / 4).toLocaleString("en");
      throw new Refusal(`${this.rows.toLocaleString("en")} words of ${dimension} numbers need ${(bytes / 1e9).toFixed(1)} GB, which is too much for a page. Use the ${fits} most frequent words, or evaluator.`);
    }
    this.dimension = dimension;
    this.words = [];
    this.matrices = Array.from({ length: parts }, (_, part) => new Float32Array(Math.ceil((this.rows - part) / parts) * dimension));
  }

  /** The numbers of a row. */
  row(number) {
    const start = Math.floor(number / parts) * this.dimension;
    return this.matrices[number % parts].subarray(start, start + this.dimension);
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
    return (await this.has(count)) ? this.take(this.at + count, this.at + count) : null;
  }

  /** Whether so many bytes follow. */
  async has(count) {
    while (this.bytes.length - this.at < count && !this.ended) await this.more();
    return this.bytes.length - this.at >= count;
  }

  /** How many bytes from here the next space is, from a place on; -1 if none follows in what a word can hold. */
  async space(from) {
    for (let seen = from; ; ) {
      const found = this.bytes.indexOf(SPACE, this.at + seen);
      if (found >= 0) return found - this.at;
      if (this.ended || this.bytes.length - this.at > LONGEST_WORD) return -1;
      seen = Math.max(from, this.bytes.length - this.at);
      await this.more();
    }
  }
}

async function header(source, most) {
  const line = await source.upTo(NEWLINE, 256);
  const match = /^\uFEFF?\s*(\d+)\s+(\d+)\s*$/.exec(new TextDecoder("utf-8", { ignoreBOM: true }).decode(line ?? new Uint8Array(0)));
  if (!match) throw new Refusal("The first line must be the number of words and of dimensions, such as 5000 100. Files without it, and fastText's own .bin files, are read by evaluator.");
  return new Table(Number(match[1]), Number(match[2]), most);
}

async function readText(source, most) {
  const table = await header(source, most), { dimension } = table;
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
    const number = table.words.length, row = table.row(number);
    if (place <= 0) throw new Refusal(`Row ${number + 1} has fewer than ${dimension} numbers after the word.`);
    for (let field = 0; field < dimension; field++) {
      let stop = starts[field];
      while (stop < end && !blank(line[stop])) stop++;
      row[field] = numberIn(line, starts[field], stop);
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

/** A word may hold spaces where a newline follows the numbers of each row, as the first row shows. */
async function readBinary(source, most) {
  const table = await header(source, most), size = 4 * table.dimension;
  let lines = null;
  while (!table.full) {
    const first = await source.space(0);
    if (first < 0) break;
    const ends = lines === false ? [] : await endsOfWord(source, first, size);
    lines ??= ends.length > 0;
    if (lines && ends.length !== 1) throw new Refusal(`Row ${table.words.length + 1}: where its word ends cannot be found. Write the vectors as text, or use evaluator.`);
    const end = source.at + (lines ? ends[0] : first), word = source.take(end, end + 1).slice();
    if (!isText(word)) throw new Refusal(`Row ${table.words.length + 1}: the word is not UTF-8. Write the file again in UTF-8, or use evaluator.`);
    if (!(await readRow(source, table, table.words.length))) break;
    if (lines && (await source.has(1))) source.at++;
    table.add(word);
  }
  return table.finished();
}

/** The spaces after which the numbers of a row and a newline can follow: the first one, and others in text. */
async function endsOfWord(source, first, size) {
  const found = [];
  for (let space = first; space >= 0; space = await source.space(space + 1)) {
    if (space > first && !isText(source.bytes.subarray(source.at, source.at + space))) break;
    const next = space + 1 + size;
    if (!(await source.has(next + 1))) {
      if (found.length === 0 && (await source.has(next))) found.push(space); // the last row may lack its newline
      break;
    }
    if (source.bytes[source.at + next] === NEWLINE) found.push(space);
  }
  if (found.length === 0 || (found.length === 1 && found[0] === first)) return found;
  const fitting = [];
  for (const space of found) {
    const next = space + 2 + size, end = await source.space(next);
    if (end < 0 ? !(await source.has(next + 1)) : isText(source.bytes.subarray(source.at + next, source.at + end))) fitting.push(space);
  }
  return fitting;
}

/** Whether bytes are characters, none of which is a control character. */
function isText(bytes) {
  if (bytes.length === 0 || bytes.some((byte) => byte < SPACE || byte === 127)) return false;
  try {
    utf8.decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** Reads the numbers of a row in binary form; false if the source ends before. */
async function readRow(source, table, number) {
  const bytes = await source.exactly(4 * table.dimension);
  if (bytes !== null) table.row(number).set(new Float32Array(bytes.slice().buffer));
  return bytes !== null;
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
  const source = new Source(part(matrix, 4 * table.rows * table.dimension).stream());
  for (let number = 0; number < table.rows; number++) {
    if (!(await readRow(source, table, number))) throw new Refusal("The file is cut off. Fetch it again.");
    if (number % 1000 === 0) progress(`${number.toLocaleString("en")} words read`, number / table.rows);
  }
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

/** Of words that are the same when folded, the most frequent one: its place among them, and its row of the file. */
function lookup(table, fold) {
  const rowOf = new Map(), rows = [];
  table.words.forEach((word, row) => {
    const key = fold(word);
    if (rowOf.has(key)) return;
    rowOf.set(key, rows.length);
    rows.push(row);
  });
  const lengths = Float64Array.from(rows, (row) => {
    let sum = 0;
    for (const value of table.row(row)) sum += value * value;
    if (!(sum > 0 && sum < Infinity)) throw new Refusal(`Row ${row + 1}, “${table.words[row]}”: its numbers are all zero, or one is no number. Correct it, or use evaluator with --bad-rows drop.`);
    return Math.sqrt(sum);
  });
  // Rows of the file that stand before place n of the vocabulary: what --vocabulary counts.
  return { rowOf, rows, lengths };
}

/** Gives each worker its rows: their places in the vocabulary, where they start in its matrix, and their lengths. */
async function deal({ dimension, matrices }, { rows, lengths }) {
  const dealt = matrices.map((matrix, number) => {
    const places = Int32Array.from([...rows.keys()].filter((place) => rows[place] % parts === number));
    return { matrix, dimension, places, starts: places.map((place) => Math.floor(rows[place] / parts) * dimension), lengths: Float64Array.from(places, (place) => lengths[place]) };
  });
  TASKS.hold(dealt[0]);
  await Promise.all(ports.map((each, number) => ask(each, "hold", dealt[number + 1], [dealt[number + 1].matrix.buffer])));
}

function ask(port, task, data, moved = []) {
  return new Promise((done) => {
    port.onmessage = (answer) => done(answer.data);
    port.postMessage({ task, data }, moved);
  });
}

/** What each worker finds in its rows, or as its part of the work. */
async function everywhere(task, data) {
  const others = ports.map((each, number) => ask(each, task, { ...data, part: number + 1, parts }));
  return [TASKS[task]({ ...data, part: 0, parts }), ...(await Promise.all(others))];
}

/** The same of hits of the words of categories, which are added up. */
async function hitsEverywhere(task, categories, data) {
  const found = await everywhere(task, { categories, ...data });
  return categories.map((_, number) => found.map((each) => each[number]).reduce((sums, each) => sums.map((sum, word) => sum + each[word])));
}

/** Unit vectors of words, in double precision: numbers of four words beside each other, as they are multiplied. */
function pack(units, dimension) {
  const packed = new Float64Array(Math.ceil(units.length / 4) * 4 * dimension);
  units.forEach((unit, number) => {
    const start = (number >> 2) * 4 * dimension + (number & 3);
    for (let at = 0; at < dimension; at++) packed[start + 4 * at] = unit[at];
  });
  return packed;
}

let held = null; // the rows of this worker

/** Calls `use` with the cosines of packed words to the next rows of this worker, word by word, and where these rows are. */
function tiles(packed, size, what, use) {
  const { matrix, dimension, places, starts, lengths } = held, quads = packed.length / dimension / 4;
  const tile = new Float64Array(TILE * dimension), cosines = new Float64Array(4 * quads * TILE);
  let end = places.length;
  while (end > 0 && places[end - 1] >= size) end--;
  for (let from = 0; from < end; from += TILE) {
    const many = Math.min(TILE, end - from);
    for (let row = 0; row < many; row++) {
      const start = starts[from + row], length = lengths[from + row];
      for (let at = 0, to = (row >> 1) * 2 * dimension + (row & 1); at < dimension; at++, to += 2) tile[to] = matrix[start + at] / length;
    }
    for (let quad = 0; quad < quads; quad++) multiply(tile, many, packed, 4 * quad, dimension, cosines);
    use(cosines, from, many);
    progress(what, from / end);
  }
}

/** Products of four words with all rows of a tile, in which two rows stand beside each other. */
function multiply(tile, many, packed, first, dimension, into) {
  for (let row = 0; row < many; row += 2) {
    let a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0;
    for (let x = row * dimension, y = first * dimension, end = x + 2 * dimension; x < end; x += 2, y += 4) {
      const one = tile[x], other = tile[x + 1], p = packed[y], q = packed[y + 1], r = packed[y + 2], s = packed[y + 3];
      a += one * p;
      b += one * q;
      c += one * r;
      d += one * s;
      e += other * p;
      f += other * q;
      g += other * r;
      h += other * s;
    }
    const to = first * TILE + row;
    into[to] = a;
    into[to + 1] = e;
    into[to + TILE] = b;
    into[to + TILE + 1] = f;
    into[to + 2 * TILE] = c;
    into[to + 2 * TILE + 1] = g;
    into[to + 3 * TILE] = d;
    into[to + 3 * TILE + 1] = h;
  }
}

const TASKS = {
  hold(data) {
    held = data;
  },

  /** The NEAR nearest of the rows of this worker to each of some words, the earlier one of two that are as near. */
  nearest({ packed, own, size }) {
    const values = new Float64Array(NEAR * own.length).fill(-Infinity), words = new Int32Array(NEAR * own.length).fill(-1);
    tiles(packed, size, "Topk", (cosines, from, many) => {
      for (let number = 0; number < own.length; number++) {
        const first = number * NEAR, last = first + NEAR - 1, start = number * TILE;
        for (let row = 0; row < many; row++) {
          const cosine = cosines[start + row];
          if (cosine + 1 / ROUND <= values[last] || held.places[from + row] === own[number]) continue;
          const value = Math.round(cosine * ROUND) / ROUND;
          if (value <= values[last]) continue;
          let rank = last;
          for (; rank > first && values[rank - 1] < value; rank--) [values[rank], words[rank]] = [values[rank - 1], words[rank - 1]];
          [values[rank], words[rank]] = [value, held.places[from + row]];
        }
      }
    });
    return { values, words };
  },

  /** For each word of each category, how many pairs of it, two others and a row of this worker are told apart. */
  odd({ categories, size }) {
    const sums = new Float64Array(TILE);
    return categories.map(({ packed, known, gram }, category) => {
      const n = known.length, members = new Set(known), hits = new Float64Array(n);
      tiles(packed, size, "OddOneOut", (cosines, from, many) => {
        for (let row = 0; row < many; row++) {
          // A member of the category is never the odd one.
          if (members.has(held.places[from + row])) for (let number = 0; number < n; number++) cosines[number * TILE + row] = Infinity;
        }
        countOdd(cosines, TILE, many, gram, n, sums, TIE, hits);
        progress("OddOneOut", (category + from / size) / categories.length);
      });
      return hits;
    });
  },

  /** The same of who knows only how frequent words are: a part of the threes of words. */
  oddByRank({ categories, words, part, parts }) {
    return categories.map(({ known }) => byRank(known, words, part, parts));
  },

  /** And of who knows only their letters; some of the words beside them may be inside the category. */
  oddByLetters({ categories, words, part, parts }) {
    const others = words.map(spelled), many = words.length, sums = new Float64Array(many);
    return categories.map(({ own: letters, inside }) => {
      const own = letters.map(spelled), n = own.length, index = indexed(own);
      const similar = new Float64Array(n * many), gram = new Float64Array(n * n), hits = new Float64Array(n);
      const fill = (to, wide, column, other) => {
        const same = shared(index, other);
        own.forEach((one, row) => { to[row * wide + column] = (same.get(row) ?? 0) * one.root * other.root + NOISE * noise(one, other); });
      };
      if (n) others.forEach((other, column) => fill(similar, many, column, other));
      own.forEach((other, column) => fill(gram, n, column, other));
      for (const column of inside) for (let row = 0; row < n; row++) similar[row * many + column] = Infinity;
      countOdd(similar, many, many, gram, n, sums, LETTERS_TIE, hits, part, parts);
      return hits;
    });
  },
};

/** The NEAR nearest words to each word of the categories, by its place in the vocabulary. */
async function neighbours(units, dimension, size) {
  const own = [...units.keys()], found = await everywhere("nearest", { packed: pack([...units.values()], dimension), own, size });
  return new Map(own.map((place, number) => {
    const all = found.flatMap(({ values, words }) => Array.from({ length: NEAR }, (_, rank) => [values[number * NEAR + rank], words[number * NEAR + rank]]));
    return [place, all.filter(([, word]) => word >= 0).sort((one, other) => other[0] - one[0] || one[1] - other[1]).slice(0, NEAR).map(([, word]) => word)];
  }));
}

/** Topk of each category, from the nearest words; and what it owes to each word, as the jackknife says. */
function topk(categories, near, size) {
  const able = ({ known }) => known.length >= 2 && size > K, testWords = new Map();
  for (const { known, words } of categories.filter(able)) known.forEach((place, number) => testWords.set(place, words[number]));
  return categories.map((category) => {
    const { known, words } = category, n = words.length;
    if (!able(category)) return observed(category, 0, 0, new Float64Array(n));
    const members = new Set(known), hits = new Float64Array(n), lost = new Map(), outside = new Map();
    known.forEach((place, number) => {
      const inside = near.get(place).map((word) => members.has(word)), movesUp = inside[K] ?? false;
      near.get(place).slice(0, K).forEach((word, rank) => {
        hits[number] += inside[rank];
        const name = testWords.get(word);
        if (inside[rank] === movesUp || name === undefined) return;
        if (inside[rank]) lost.set(name, (lost.get(name) ?? 0) + 1);
        else outside.set(name, (outside.get(name) ?? 0) - 1 / (n * K));
      });
    });
    const all = hits.reduce((sum, each) => sum + each, 0), value = all / (n * K);
    const without = words.map((word, number) => (all - hits[number] - (lost.get(word) ?? 0)) / (Math.max(n - 1, 1) * K));
    const middle = mean(without), chance = (known.length * (known.length - 1)) / (size - 1) / n;
    return observed(category, value, chance, without.map((each) => value + (n - 1) * (middle - each)), outside);
  });
}

/** A category with what its score owes to each item, from pseudo-values of the jackknife of its words. */
function observed({ name, topic, words, known, items }, value, chance, pseudovalues, outside = new Map()) {
  const n = words.length, middle = mean(pseudovalues), item = (word) => items.get(word) ?? word;
  const influences = new Map(), moved = new Map(), unknown = new Set(words.slice(known.length).map(item));
  words.forEach((word, number) => influences.set(item(word), (influences.get(item(word)) ?? 0) + (n > 1 ? (pseudovalues[number] - middle) / Math.sqrt(n * (n - 1)) : 0)));
  for (const word of words.slice(0, known.length)) unknown.delete(item(word));
  for (const [word, number] of outside) moved.set(item(word), (moved.get(item(word)) ?? 0) + number);
  return { name, topic, value, chance, n: influences.size, known: influences.size - unknown.size, influences: [...influences], outside: [...moved], unknown: [...unknown] };
}

const triples = (n) => n * (n - 1) * (n - 2) / 6;

/** How many pairs (S, w) OddOneOut compares in the first words of a vocabulary. */
const pairs = (categories, size) => size * categories.reduce((sum, { known }) => sum + triples(known.filter((place) => place < size).length), 0);

const able = ({ known }, size) => known.length >= K && known.length < size;

/** The categories in the first words of the vocabulary. */
const among = (categories, size) => categories.map((category) => {
  const there = category.known.map((place) => place < size), isThere = (_, number) => there[number];
  const words = [...category.words.filter(isThere), ...category.words.filter((_, number) => !there[number])];
  return { ...category, words, known: category.known.filter(isThere) };
});

async function oddOneOut(units, dimension, categories, size) {
  const tasks = categories.map((category) => {
    const known = able(category, size) ? category.known : [], own = known.map((place) => units.get(place));
    return { known, packed: pack(own, dimension), gram: Float64Array.from(own.flatMap((one) => own.map((other) => one.reduce((sum, value, at) => sum + value * other[at], 0)))) };
  });
  const hits = await hitsEverywhere("odd", tasks, { size });
  return categories.map((category, number) => oddOf(category, hits[number], able(category, size) ? size - category.known.length : 0));
}

/** OddOneOut of a category, from the hits of its known words beside so many odd words for each three; 0 if it has none. */
function oddOf(category, hits, trials) {
  const { known, words } = category, n = words.length;
  if (!trials) return observed(category, 0, 0, new Float64Array(n));
  const ofWord = ((n - 1) * (n - 2)) / 2, shares = words.map((_, number) => (number < known.length ? hits[number] / (ofWord * trials) : 0));
  const value = hits.reduce((sum, each) => sum + each, 0) / K / (triples(n) * trials), middle = mean(shares);
  const factor = n > K ? (K * (n - 1)) / (n - K) : K;
  return observed(category, value, triples(known.length) / triples(n) / (K + 1), shares.map((share) => value + factor * (share - middle)));
}

/** Adds for each of n words how often rows are odd beside it and two others, by similarities of shape (n, wide): a part of it. */
function countOdd(similar, wide, many, gram, n, sums, tie, hits, part = 0, parts = 1) {
  for (let a = part; a < n; a += parts) {
    for (let b = a + 1; b < n; b++) {
      for (let row = 0; row < many; row++) sums[row] = similar[a * wide + row] + similar[b * wide + row];
      for (let c = b + 1; c < n; c++) {
        const found = odd(similar, a * wide, b * wide, c * wide, sums, many, gram[a * n + b], gram[a * n + c], gram[b * n + c], tie);
        hits[a] += found;
        hits[b] += found;
        hits[c] += found;
      }
    }
  }
}

/** In how many words w the sums of similarities to w are below those within a triple, for each of its words. */
function odd(cosines, x, y, z, xy, many, ab, ac, bc, tie) {
  const ofC = ac + bc - 2 * tie, ofB = ab + bc - 2 * tie, ofA = ab + ac - 2 * tie;
  let hits = 0;
  for (let row = 0; row < many; row++) {
    const last = cosines[z + row];
    hits += (xy[row] < ofC) & (cosines[x + row] + last < ofB) & (cosines[y + row] + last < ofA);
  }
  return hits;
}

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

// The baselines: who knows only how frequent words are, and who knows only their letters.

/** How many of ascending numbers are below a number; or not above it. */
function placeIn(ascending, number, orEqual = false) {
  let low = 0, high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ascending[middle] < number || (orEqual && ascending[middle] === number)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Words on a quarter of a circle, by the logarithms of their ranks in the file. */
const anglesOf = (table, { rows }) => Float64Array.from(rows, (row) => (Math.PI / 2) * Math.log1p(row) / Math.log1p(table.every));

function nearestByFrequency(places, angles, size) {
  const side = Math.min(K + 6, size - 1) + Math.max(64, size >> 16), width = Math.min(2 * side + 1, size);
  const point = (place) => {
    const x = Math.fround(Math.cos(angles[place])), y = Math.fround(Math.sin(angles[place])), length = Math.sqrt(x * x + y * y);
    return [x / length, y / length];
  };
  return new Map(places.map((place) => {
    const start = Math.min(Math.max(place - side, 0), size - width), [x, y] = point(place), found = [];
    for (let other = start; other < start + width; other++) {
      const [a, b] = point(other);
      if (other !== place) found.push([Math.round((x * a + y * b) * ROUND), other]);
    }
    return [place, found.sort((one, other) => other[0] - one[0] || one[1] - other[1]).slice(0, NEAR).map(([, word]) => word)];
  }));
}

/** OddOneOut by frequency: the word farthest on the circle is the odd one; or the rarest, if that is right more often. */
async function oddByFrequency(categories, angles, size) {
  const words = angles.slice(0, size), asked = categories.map((category) => ({ known: able(category, size) ? category.known : [] }));
  const counted = [await hitsEverywhere("oddByRank", asked, { words }), asked.map(({ known }) => rarest(known, words))];
  const [near, rare] = counted.map((hits) => categories.map((category, number) => oddOf(category, hits[number], able(category, size) ? size - category.known.length : 0)));
  return mean(near.map((each) => each.value)) >= mean(rare.map((each) => each.value)) ? near : rare;
}

/** The hits of each of some words beside words at ascending angles, of those that are odd beside three of them. */
function byRank(known, words, part, parts) {
  const hits = new Float64Array(known.length), order = [...known.keys()].sort((one, other) => known[one] - known[other]);
  const own = Float64Array.from(order, (number) => words[known[number]]), members = Float64Array.from(order, (number) => known[number]);
  const cosines = own.map(Math.cos), sines = own.map(Math.sin), others = words.length - known.length;
  for (let c = part; c < own.length; c += parts) {
    for (let b = 0; b < c; b++) {
      for (let a = 0; a < b; a++) {
        const cosine = cosines[a] + cosines[b] + cosines[c], sine = sines[a] + sines[b] + sines[c];
        let from = Infinity, to = -Infinity;
        // Words at angles from `from` to `to` are too near one of the three; those of the first and the last hold that of the other.
        for (let each = a; each <= c; each += c - a) {
          const x = cosine - cosines[each], y = sine - sines[each];
          const least = (x * cosines[each] + y * sines[each] - 2 * TIE) / Math.sqrt(x * x + y * y);
          const middle = Math.atan2(y, x), half = Math.acos(Math.min(Math.max(least, -1), 1));
          from = Math.min(from, middle - half);
          to = Math.max(to, middle + half);
        }
        const first = placeIn(words, from), last = placeIn(words, to, true);
        const found = others - (last - first) + placeIn(members, last) - placeIn(members, first);
        hits[order[a]] += found;
        hits[order[b]] += found;
        hits[order[c]] += found;
      }
    }
  }
  return hits;
}

/** The hits of who takes the rarest word for the odd one. */
function rarest(known, words) {
  const hits = new Float64Array(known.length), order = [...known.keys()].sort((one, other) => known[one] - known[other]);
  const members = order.map((number) => words[known[number]]);
  const outside = members.map((angle) => words.length - placeIn(words, angle, true) - (members.length - placeIn(members, angle, true)));
  let after = 0;
  for (let place = order.length - 1; place >= 0; place--) {
    hits[order[place]] = outside[place] * ((place * (place - 1)) / 2) + after;
    if (place > 0) after += outside[place] * Math.max(place - 1, 0);
  }
  return hits;
}

const LETTERS_TIE = 2 ** -23; // more would take many words for equal that only NOISE tells apart
const NOISE = 2 ** -12; // tells words apart that are equally similar by letters
const ODD_WORDS = 1024; // of the vocabulary stand for all

/** The trigrams of `<word>`, and a number that stands for it (FNV-1a). */
function spelled(word) {
  const letters = Array.from(word), inside = ["<", ...letters, ">"];
  let hash = 2166136261;
  for (const letter of letters) hash = Math.imul(hash ^ letter.codePointAt(0), 16777619) >>> 0;
  return { trigrams: letters.map((letter, at) => inside[at] + letter + inside[at + 2]), hash, root: letters.length ? 1 / Math.sqrt(letters.length) : 0 };
}

/** From 0 to 1, the same in both orders (the last steps of MurmurHash3). */
function noise(one, other) {
  let value = one.hash ^ other.hash;
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value >>> 8) * 2 ** -24;
}

/** Trigrams of words, each with the words that have it and how often. */
function indexed(words) {
  const index = new Map();
  words.forEach(({ trigrams }, number) => {
    for (const trigram of trigrams) {
      const has = index.get(trigram) ?? index.set(trigram, new Map()).get(trigram);
      has.set(number, (has.get(number) ?? 0) + 1);
    }
  });
  return new Map([...index].map(([trigram, has]) => [trigram, [...has]]));
}

/** How many trigrams some words share with another one, by their numbers. */
function shared(index, { trigrams }) {
  const found = new Map();
  for (const trigram of trigrams) for (const [number, count] of index.get(trigram) ?? []) found.set(number, (found.get(number) ?? 0) + count);
  return found;
}

function nearestByLetters(places, words, size) {
  const own = places.map((place) => spelled(words[place])), index = indexed(own), kept = Math.min(K + 6, size - 1);
  if (kept < K) return new Map(); // there are no scores
  const best = places.map(() => []), similarity = (one, other, same) => Math.fround(same * Math.fround(one.root) * Math.fround(other.root)) + NOISE * noise(one, other);
  for (let place = 0; place < size; place++) {
    const other = spelled(words[place]);
    for (const [number, same] of shared(index, other)) {
      const found = best[number], value = similarity(own[number], other, same);
      if (places[number] === place || (found.length === kept && value <= found[kept - 1][0])) continue;
      let rank = found.length;
      while (rank > 0 && found[rank - 1][0] < value) rank--;
      found.splice(rank, 0, [value, place]);
      if (found.length > kept) found.pop();
    }
    if (place % 1000 === 0) progress("Spelling", place / size);
  }
  return new Map(places.map((place, number) => {
    const near = best[number].map(([, word]) => word), not = new Set([...near, place]), alone = indexed([own[number]]);
    for (let step = 0; near.length < kept && step < kept + not.size; step++) {
      const drawn = (own[number].hash + step) % size;
      if (!not.has(drawn) && !near.includes(drawn)) near.push(drawn);
    }
    const exact = near.map((word) => {
      const other = spelled(words[word]), same = shared(alone, other).get(0) ?? 0;
      return [Math.round((same * own[number].root * other.root + NOISE * noise(own[number], other)) * ROUND), word];
    });
    return [place, exact.sort((one, other) => other[0] - one[0] || one[1] - other[1]).slice(0, NEAR).map(([, word]) => word)];
  }));
}

/** OddOneOut by letters, beside words of the vocabulary at equal distances. */
async function oddByLetters(categories, words, size) {
  const step = (size - 1) / (ODD_WORDS - 1), fewer = size > 2 * ODD_WORDS;
  const places = Array.from({ length: fewer ? ODD_WORDS : size }, (_, number) => (!fewer ? number : number < ODD_WORDS - 1 ? Math.floor(number * step) : size - 1));
  const numbers = new Map(places.map((place, number) => [place, number]));
  const asked = categories.map(({ known }) => {
    const inside = known.map((place) => numbers.get(place)).filter((number) => number !== undefined);
    const isAble = known.length >= K && inside.length < places.length;
    return { own: isAble ? known.map((place) => words[place]) : [], inside, trials: isAble ? places.length - inside.length : 0 };
  });
  const hits = await hitsEverywhere("oddByLetters", asked, { words: places.map((place) => words[place]) });
  return categories.map((category, number) => oddOf(category, hits[number], asked[number].trials));
}

/** The item of each word that is not the only one of its item; of several items, the first in the alphabet. */
function itemsOf(categories, fold) {
  const found = new Map();
  for (const { id, words } of categories.flatMap((category) => category.items)) {
    const forms = [...new Set(words.map(fold))];
    if (forms.length > 1) for (const word of forms) if (!(found.get(word) <= id)) found.set(word, id);
  }
  return found;
}

async function score({ file, testSet, folding, most }) {
  const table = await read(file, most), fold = folder(testSet.language, folding);
  const vocabulary = lookup(table, fold), size = vocabulary.rows.length, items = itemsOf(testSet.categories, fold);
  const every = testSet.categories.filter((category) => !category.level).map(({ name, title, topic, items: own }) => {
    const words = [...new Set(own.flatMap((item) => item.words).map(fold))], isKnown = (word) => vocabulary.rowOf.has(word);
    const known = words.filter(isKnown);
    return { name, title, topic: topic ?? "", items, words: [...known, ...words.filter((word) => !isKnown(word))], known: known.map((word) => vocabulary.rowOf.get(word)) };
  });
  const categories = every.filter(({ words }) => words.length >= LEAST_WORDS);
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
  const places = [...new Set(categories.flatMap((category) => category.known))], { dimension } = table, fewer = among(categories, odds);
  const units = new Map(places.map((place) => [place, Float64Array.from(table.row(vocabulary.rows[place]), (value) => value / vocabulary.lengths[place])]));
  await deal(table, vocabulary);
  const near = topk(categories, await neighbours(units, dimension, size), size), far = await oddOneOut(units, dimension, fewer, odds);
  const folded = [...vocabulary.rowOf.keys()], angles = anglesOf(table, vocabulary), isAsked = places.length > 0;
  const words = new Set(every.flatMap((category) => category.words));
  return {
    topk: mean(near.map((each) => each.value)), topkChance: mean(near.map((each) => each.chance)),
    oddOneOut: mean(far.map((each) => each.value)), oddOneOutChance: mean(far.map((each) => each.chance)),
    words: words.size, known: [...words].filter((word) => vocabulary.rowOf.has(word)).length,
    vocabulary: table.rows, oddVocabulary: odds < size ? vocabulary.rows[odds] : table.rows,
    // What scores vary with, and those of the baselines, of which there are none if no word is known.
    measures: {
      "Topk@3": {
        own: near,
        frequency: isAsked ? topk(categories, nearestByFrequency(places, angles, size), size) : null,
        spelling: isAsked ? topk(categories, nearestByLetters(places, folded, size), size) : null,
      },
      "OddOneOut@3": {
        own: far,
        frequency: isAsked ? await oddByFrequency(fewer, angles, odds) : null,
        spelling: isAsked ? await oddByLetters(fewer, folded, odds) : null,
      },
    },
    categories: categories.map(({ title, words: own, known }, place) => ({ title, words: own.length, known: known.length, topk: near[place].value, oddOneOut: far[place].value })),
  };
}

onmessage = async ({ data }) => {
  if (data.first) {
    isHelper = true;
    data.first.onmessage = (asked) => data.first.postMessage(TASKS[asked.data.task](asked.data.data));
    return;
  }
  if (data.helpers) {
    [ports, parts] = [data.helpers, data.helpers.length + 1];
    return;
  }
  try {
    postMessage({ result: await score(data) });
  } catch (error) {
    const tooLarge = error instanceof RangeError ? "The file needs more memory than the browser gives. Use fewer words, or evaluator." : `This file cannot be read: ${error.message}`;
    postMessage({ problem: error instanceof Refusal ? error.message : tooLarge });
  }
};
