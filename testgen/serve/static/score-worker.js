// Reads vectors and scores them on a test set, in a worker. It sends no request: it gets a file and a test set, and answers.
//
// The definitions are those of `evaluator score` with its default settings: case is folded, OOV words are misses.
//
// There are as many workers as processors. The first one reads the file and deals its rows to all in turn, so that each has
// an equal share of any number of most frequent words. Each compares the words of the test set with its own rows.

const K = 3;
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

/** What each worker finds in its rows. */
async function everywhere(task, data) {
  const others = ports.map((each) => ask(each, task, data));
  return [TASKS[task](data), ...(await Promise.all(others))];
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

  /** The K nearest of the rows of this worker to each of some words, the earlier one of two that are as near. */
  nearest({ packed, own, size }) {
    const values = new Float64Array(K * own.length).fill(-Infinity), words = new Int32Array(K * own.length).fill(-1);
    tiles(packed, size, "Topk", (cosines, from, many) => {
      for (let number = 0; number < own.length; number++) {
        const first = number * K, last = first + K - 1, start = number * TILE;
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

  /** For each category, how many pairs of three of its words and a row of this worker are told apart. */
  odd({ categories, size }) {
    const sums = new Float64Array(TILE);
    return categories.map(({ packed, known, gram }, category) => {
      const n = known.length, members = new Set(known);
      let hits = 0;
      tiles(packed, size, "OddOneOut", (cosines, from, many) => {
        for (let row = 0; row < many; row++) {
          // A member of the category is never the odd one.
          if (members.has(held.places[from + row])) for (let number = 0; number < n; number++) cosines[number * TILE + row] = Infinity;
        }
        for (let a = 0; a < n; a++) {
          for (let b = a + 1; b < n; b++) {
            for (let row = 0; row < many; row++) sums[row] = cosines[a * TILE + row] + cosines[b * TILE + row];
            for (let c = b + 1; c < n; c++) hits += odd(cosines, a * TILE, b * TILE, c * TILE, sums, many, gram[a * n + b], gram[a * n + c], gram[b * n + c]);
          }
        }
        progress("OddOneOut", (category + from / size) / categories.length);
      });
      return hits;
    });
  },
};

async function topk(units, dimension, categories, size) {
  const own = [...units.keys()], found = await everywhere("nearest", { packed: pack([...units.values()], dimension), own, size });
  const near = new Map(own.map((place, number) => {
    const all = found.flatMap(({ values, words }) => [0, 1, 2].map((rank) => [values[number * K + rank], words[number * K + rank]]));
    return [place, all.sort((one, other) => other[0] - one[0] || one[1] - other[1]).slice(0, K).map(([, word]) => word)];
  }));
  return categories.map(({ known, words }) => {
    const members = new Set(known);
    if (known.length < 2 || size <= K) return { value: 0, chance: 0 };
    const hits = known.reduce((sum, place) => sum + near.get(place).reduce((found, word) => found + members.has(word), 0), 0);
    return { value: hits / (words.length * K), chance: known.length * (known.length - 1) / (size - 1) / words.length };
  });
}

const triples = (n) => n * (n - 1) * (n - 2) / 6;

/** How many pairs (S, w) OddOneOut compares in the first words of a vocabulary. */
const pairs = (categories, size) => size * categories.reduce((sum, { known }) => sum + triples(known.filter((place) => place < size).length), 0);

async function oddOneOut(units, dimension, categories, size) {
  const asked = categories.map(({ known }) => known.filter((place) => place < size)).map((known) => (known.length < K || known.length >= size ? [] : known));
  const tasks = asked.map((known) => {
    const own = known.map((place) => units.get(place));
    return { known, packed: pack(own, dimension), gram: Float64Array.from(own.flatMap((one) => own.map((other) => one.reduce((sum, value, at) => sum + value * other[at], 0)))) };
  });
  const found = await everywhere("odd", { categories: tasks, size });
  return categories.map(({ words }, number) => {
    const hits = found.reduce((sum, each) => sum + each[number], 0), n = asked[number].length;
    const ceiling = triples(n) / triples(words.length);
    return { value: n ? hits / (triples(words.length) * (size - n)) : 0, chance: ceiling / (K + 1) };
  });
}

/** In how many words w the sums of similarities to w are below those within a triple, for each of its words. */
function odd(cosines, x, y, z, xy, many, ab, ac, bc) {
  const ofC = ac + bc - 2 * TIE, ofB = ab + bc - 2 * TIE, ofA = ab + ac - 2 * TIE;
  let hits = 0;
  for (let row = 0; row < many; row++) {
    const last = cosines[z + row];
    hits += (xy[row] < ofC) & (cosines[x + row] + last < ofB) & (cosines[y + row] + last < ofA);
  }
  return hits;
}

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

async function score({ file, testSet, folding, most }) {
  const table = await read(file, most), fold = folder(testSet.language, folding);
  const vocabulary = lookup(table, fold), size = vocabulary.rows.length;
  const every = testSet.categories.filter((category) => !category.level).map(({ name, title, items }) => {
    const words = [...new Set(items.flatMap((item) => item.words).map(fold))];
    return { name, title, words, known: words.map((word) => vocabulary.rowOf.get(word)).filter((place) => place !== undefined) };
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
  const places = new Set(categories.flatMap((category) => category.known)), { dimension } = table;
  const units = new Map([...places].map((place) => [place, Float64Array.from(table.row(vocabulary.rows[place]), (value) => value / vocabulary.lengths[place])]));
  await deal(table, vocabulary);
  const near = await topk(units, dimension, categories, size), far = await oddOneOut(units, dimension, categories, odds);
  const words = new Set(every.flatMap((category) => category.words));
  return {
    topk: mean(near.map((each) => each.value)), topkChance: mean(near.map((each) => each.chance)),
    oddOneOut: mean(far.map((each) => each.value)), oddOneOutChance: mean(far.map((each) => each.chance)),
    words: words.size, known: [...words].filter((word) => vocabulary.rowOf.has(word)).length,
    vocabulary: table.rows, oddVocabulary: odds < size ? vocabulary.rows[odds] : table.rows,
    categories: categories.map(({ title, words, known }, place) => ({ title, words: words.length, known: known.length, topk: near[place].value, oddOneOut: far[place].value })),
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
