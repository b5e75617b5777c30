// The search, and what narrows and sorts the lists, the map and the words side by side: for pages of a service and for files.
//
// What a text means is said here a second time, for pages that have no service: as in resolver.py, whose rules (words that tell nothing,
// separators, numbers) are in search.json. A test compares what both understand.
//
// An entry is a language or a category of search.json. `phrases` are its names as they are compared; a language without words has none.

/** How well a text fits, the best first: a name, the beginnings of words of one, within one, in a description; or only similar. */
const [EXACT, PREFIX, WITHIN, IN_TEXT, SIMILAR] = [0, 1, 2, 3, 4];

/** The words of a text without accents, capitals, English plurals, and words such as "names of". */
export function plain({ fillers }, text) {
  const folded = text.toLowerCase().normalize("NFKD").replace(/[\u0300-\u036f]/g, "");
  const words = (folded.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).map(singular);
  const telling = words.filter((word) => !fillers.has(word));
  return telling.length ? telling : words;
}

function singular(word) {
  if (word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  return word.length > 3 && /[^s]s$/.test(word) ? word.slice(0, -1) : word;
}

/** The form in which a whole name is looked up. */
const key = (text) => text.trim().toLowerCase().normalize("NFC");

/** The index of `search.json`, with its names as they are compared; `exact` has the language of each whole name and code. */
export function prepared({ rules: stated, languages, lacking, categories }) {
  const rules = { ...stated, fillers: new Set(stated.fillers), separators: new RegExp(stated.separators), about: new RegExp(stated.about, "i") };
  const exact = new Map();
  for (const each of [...languages, ...lacking]) {
    const names = [each.key, ...(each.names ?? []), ...each.exact].filter(Boolean).map(key);
    for (const name of names) if (!exact.has(name)) exact.set(name, each); // the first language of a name has it
  }
  for (const each of [...languages, ...categories]) {
    each.phrases = [...new Set(each.names.filter(Boolean).map((name) => plain(rules, name).join(" ")))];
    each.about = plain(rules, each.text ?? "");
  }
  return { rules, languages, categories, exact };
}

/** How well the words of a text fit the names of an entry, or its description. */
function rank(rules, words, entry) {
  const sought = words.join(" "), isLong = words.join("").length >= rules.least; // shorter texts are within too many names
  const begins = (name) => words.every((word) => name.some((part) => part.startsWith(word)));
  let best = SIMILAR;
  for (const phrase of entry.phrases) {
    if (phrase === sought) return EXACT;
    if (begins(phrase.split(" "))) best = PREFIX;
    else if (isLong && phrase.includes(sought)) best = Math.min(best, WITHIN);
  }
  return best === SIMILAR && begins(entry.about) ? IN_TEXT : best;
}

/** How well a text fits each entry; if none, those with the most similar names. */
export function ranks({ rules }, text, entries) {
  const words = plain(rules, text);
  if (!words.length) return new Map();
  const fitting = entries.map((entry) => [entry, rank(rules, words, entry)]).filter(([, fits]) => fits < SIMILAR);
  return new Map(fitting.length ? fitting : similar(rules, words.join(" "), entries));
}

/** What is misspelt as this text: one letter in four may be wrong. */
function similar(rules, text, entries) {
  const most = text.length / 4;
  const near = entries.map((entry) => [entry, Math.min(...entry.phrases.map((name) => edits(name, text, most)))]);
  const found = near.filter(([, wrong]) => wrong <= most).sort(([, one], [, other]) => one - other);
  return found.slice(0, rules.most_similar).map(([entry]) => [entry, SIMILAR]);
}

/** How many letters must be put in, left out or replaced to make one text of another; Infinity if more than `most`. */
function edits(one, other, most) {
  if (Math.abs(one.length - other.length) > most) return Infinity;
  let row = [...other, ""].map((_, place) => place);
  for (const [number, letter] of [...one].entries()) {
    const next = [number + 1];
    [...other].forEach((each, place) => next.push(Math.min(next[place] + 1, row[place + 1] + 1, row[place] + (each !== letter))));
    row = next;
  }
  return row.at(-1);
}

/** The name of a language without what people write after it, as in "Telugu vectors". */
function withoutAbout(index, text) {
  const short = text.replace(index.rules.about, "");
  return index.exact.has(key(short)) ? short : text;
}

/** The pieces of a text that may each name a language: "Telugu, Ancient Greek Latin" has three. */
function piecesOf(index, text) {
  const all = withoutAbout(index, text);
  if (index.exact.has(key(all))) return [all];
  return all.split(index.rules.separators).map((each) => each.trim()).filter(Boolean).flatMap((piece) => {
    const words = piece.split(/\s+/), pieces = [];
    if (index.exact.has(key(piece)) || words.length === 1 || !knownStart(index, words)) return [piece];
    while (words.length) pieces.push(words.splice(0, knownStart(index, words) || words.length).join(" "));
    return pieces;
  });
}

/** How many words make the longest name of a language with words that stands at the beginning. */
function knownStart(index, words) {
  for (let number = Math.min(words.length, index.rules.longest_name); number; number--)
    if (index.exact.get(key(words.slice(0, number).join(" ")))?.phrases) return number;
  return 0;
}

/** The language that a piece names: exactly, or as the only one that fits best; variants are one language. */
function languageOf(index, piece) {
  if (index.exact.has(key(piece))) return index.exact.get(key(piece));
  const found = ranks(index, piece, index.languages), best = Math.min(...found.values());
  const meant = [...found].filter(([, fits]) => fits === best).map(([entry]) => entry);
  const whole = meant[0] && (meant.find((each) => each.key === meant[0].whole) ?? meant[0]);
  return best === SIMILAR || meant.every((each) => each.whole === meant[0].whole) ? whole : undefined;
}

/** The languages that a text names, each once with the text for it, and the pieces that name none. */
export function languagesIn(index, text) {
  const found = new Map(), unknown = [];
  for (const piece of piecesOf(index, text)) {
    const language = languageOf(index, piece);
    if (!language) unknown.push(piece);
    else if (!found.has(language)) found.set(language, piece);
  }
  return { found, unknown };
}

/** Whether separators part several names or codes: "la, te" is no name with words that begin so. */
const isList = (index, text) => text.split(index.rules.separators).filter((piece) => index.exact.has(key(piece))).length > 1;

/** How well a text fits each language with words that it may mean, or the several that it names. */
export function languageRanks(index, text) {
  const found = ranks(index, withoutAbout(index, text), index.languages);
  const best = Math.min(...found.values()), several = isList(index, text);
  if (best === EXACT || (best < SIMILAR && !several)) return found;
  const named = [...languagesIn(index, text).found].filter(([each]) => each.phrases);
  const isNamed = several || named.length > 1 || index.exact.get(key(text))?.phrases || !found.size;
  return isNamed ? new Map(named.map(([each]) => [each, EXACT])) : found;
}

/** Languages and categories that a text may mean, the best first; `lacking` are those without words that it names. */
export function search(index, text) {
  const languages = languageRanks(index, text), { found, unknown } = languagesIn(index, text);
  const both = [...languages.values()].includes(EXACT) && found.size && unknown.length; // "Telugu countries"
  const categories = ranks(index, both ? unknown.join(" ") : text, index.categories);
  const isSimilar = Math.min(SIMILAR, ...languages.values(), ...categories.values()) === SIMILAR;
  // Names that are only similar are not shown beside those that fit.
  const shown = (some) => [...some].filter(([, fits]) => isSimilar || fits !== SIMILAR);
  const order = (size) => ([one, first], [other, second]) => first - second || size(other) - size(one) || one.title.localeCompare(other.title);
  return {
    isSimilar,
    languages: shown(languages).sort(order((each) => each.words)).map(([each]) => each),
    categories: shown(categories).sort(order((each) => each.languages)).map(([each]) => each),
    lacking: [...found.keys()].filter((each) => !each.phrases),
  };
}

// The pages.

const WAIT = 100; // milliseconds without a key press before what is typed is looked for
const NOT_FETCHED = "The names cannot be fetched. Is your connection up?";
const page = globalThis.document?.documentElement.dataset;
const address = (path) => `${page.root}${path}${page.suffix}`;
const status = globalThis.document?.querySelector("[data-status]");
const counted = (number, one, several = `${one}s`) => `${number.toLocaleString("en")} ${number === 1 ? one : several}`;
let loaded;

/** The index, which is fetched when a form is used for the first time. */
function loadedIndex() {
  loaded ??= fetch(document.querySelector("[data-index]").dataset.index).then(async (answer) => prepared(await answer.json()));
  loaded.catch(() => (loaded = undefined));
  return loaded;
}

/** A text whose signs that nobody sees are escapes, as the pages of the service have it. */
const visible = (text) => text.replace(/[\0-\b\v-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]/g, (sign) => `\\u${sign.charCodeAt().toString(16).padStart(4, "0")}`);

function element(name, content = [], attributes = {}) {
  const made = Object.assign(document.createElement(name), attributes);
  made.append(...[content].flat().map((each) => (typeof each === "string" ? visible(each) : each)));
  return made;
}

const link = (path, text) => element("a", text, { href: address(path) });
const problem = (text) => element("p", text, { className: "problem" });
const sentence = (text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.?!]$/.test(text) ? "" : "."}`;

/** Call a function now and at each change of a form, whose fields are those of the page's address. */
function live(form, show) {
  const asked = new URLSearchParams(location.search);
  for (const field of form.elements) {
    if (!asked.has(field.name)) continue;
    if (field.type === "checkbox") field.checked = asked.get(field.name) === field.value;
    else field.value = asked.get(field.name);
  }
  for (const each of form.querySelectorAll("details")) each.open = [...each.querySelectorAll("[name]")].some((field) => asked.has(field.name));
  let timer, turn = 0, shown;
  const written = () => new URLSearchParams(new FormData(form)).toString();
  async function update() {
    const mine = ++turn, fields = Object.fromEntries(new FormData(form));
    const index = await loadedIndex().catch(() => undefined);
    if (mine !== turn) return; // there is a newer text
    if (!index) {
      status.textContent = `${NOT_FETCHED} Change something to try again.`;
      return;
    }
    const chosen = Object.entries(fields).filter(([name, value]) => value.trim() && value !== form.elements[name].dataset.usual);
    const query = new URLSearchParams(chosen);
    history.replaceState(null, "", `${location.pathname}${query.size ? `?${query}` : ""}${location.hash}`);
    shown = written();
    show(index, fields);
  }
  form.hidden = false;
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("focusin", () => loadedIndex().catch(() => {}), { once: true });
  for (const kind of ["input", "change"])
    form.addEventListener(kind, () => {
      clearTimeout(timer);
      // A field that is left tells of a change that is shown already: the link that has the focus by then must stay.
      timer = setTimeout(() => written() === shown || update(), WAIT);
    });
  if ([...form.elements].some((field) => asked.has(field.name))) update();
  return update;
}

// The search of the start page.

function makeSearch(form) {
  const most = 8, place = document.getElementById(form.dataset.searches);
  let latest; // what was typed last: answers to what was typed before it are not shown
  live(form, async (index, { q }) => {
    const text = (latest = q.trim());
    const { languages, categories, lacking, isSimilar } = search(index, text);
    const words = text ? await wordsCalled(text) : [];
    if (text !== latest) return;
    const size = `${counted(wholes(languages).length, "language")}, ${counted(categories.length, "category or relation", "categories and relations")} for “${text}”`;
    const isCalled = languages.length + categories.length > 0, nothing = !isCalled && !words.length && !lacking.length;
    let headline = size;
    if (words.length && !isCalled) headline = `“${text}” is a word`;
    else if (isSimilar && isCalled) headline = `Nothing is called “${text}”. Did you mean one of these?`;
    status.textContent = text && headline;
    const parts = [
      element("h2", headline), ...lacking.map((each) => problem(`${each.lacking}.`)),
      ...(nothing ? [element("p", "Try a part of the name, in English or in the language itself, or a code such as la.")] : []),
      element("div", [
        listOf("Languages", wholes(languages), most, languageLine, `/languages`, text),
        listOf("Categories and relations", categories, most, categoryLine, `/categories`, text),
      ].flat(), { className: "columns" }),
      ...words.slice(0, most).map((each) => wordLine(index, text, each, most)),
    ];
    place.replaceChildren(...(text ? [element("section", parts, { className: "found" })] : []));
  });

  /** What a service knows under a name; pages that are files know no words. */
  async function wordsCalled(text) {
    if (!place.dataset.words) return [];
    const answer = await fetch(`${place.dataset.words}?${new URLSearchParams({ q: text })}`).catch(() => undefined);
    return answer?.ok ? answer.json() : [];
  }
}

/** Languages, each with its variants among them, in the order of the first. */
function wholes(languages) {
  const groups = new Map();
  for (const each of languages) groups.set(each.whole, [...(groups.get(each.whole) ?? []), each]);
  return [...groups.values()].map((group) => ({ ...(group.find((each) => each.key === each.whole) ?? group[0]), variants: group.length - 1 }));
}

function listOf(title, found, most, line, path, text) {
  if (!found.length) return [];
  const rest = element("a", `All ${found.length.toLocaleString("en")} ${title.toLowerCase()}`, { href: `${address(path)}?${new URLSearchParams({ q: text })}` });
  const lines = [...found.slice(0, most).map(line), ...(found.length > most ? [[rest]] : [])];
  return [element("div", [element("h3", title), element("ul", lines.map((each) => element("li", each)), { className: "list" })])];
}

function languageLine(each) {
  const variants = each.variants ? `, ${counted(each.variants, "variant")}` : "";
  const size = element("span", [`${counted(each.words, "word")}${variants}. Enough? `, element("strong", each.enough)], { className: "quiet" });
  return [link(`/languages/${each.key}`, each.title), " ", element("code", each.key), " ", size];
}

function categoryLine(each) {
  const size = each.languages ? counted(each.languages, "language") : "no words in this source";
  return [link(`/categories/${each.key}`, each.title), " ", element("span", size, { className: "quiet" })];
}

function wordLine(index, text, { english, codes, categories }, most) {
  const commas = (links) => links.slice(0, most).flatMap((each, place) => (place ? [", ", each] : [each]));
  const languages = codes.filter((code) => index.exact.get(code)?.phrases).map((code) => link(`/languages/${code}`, index.exact.get(code).title));
  const more = languages.length > most ? ` and ${languages.length - most} more` : "";
  const lists = categories.map((name) => {
    const made = link(`/categories/${name}`, name);
    made.search = new URLSearchParams({ language: codes[0] });
    return made;
  });
  return element("p", [element("strong", text), `: ${english} in `, ...commas(languages), more, ...(lists.length ? ["; in ", ...commas(lists)] : []), "."]);
}

// Lists of languages and of categories.

function makeList(form) {
  const place = document.getElementById("results"), headline = place.querySelector("[data-headline]"), before = headline.textContent;
  const rows = [...place.querySelectorAll("[data-keys]")], body = rows[0]?.closest("tbody");
  live(form, (index, fields) => {
    const { q, minimum_words: least, ...chosen } = fields;
    const found = form.dataset.narrows === "languages" ? languageRanks(index, q) : ranks(index, q, index.categories);
    const fits = new Map([...found].map(([each, rank]) => [each.key, rank]));
    const best = (row) => (q.trim() ? Math.min(...row.dataset.keys.split(" ").map((each) => fits.get(each) ?? Infinity)) : 0);
    for (const row of rows) {
      const has = Object.entries(chosen).every(([name, value]) => !value || row.dataset[name].split(" ").includes(value));
      row.hidden = !has || best(row) === Infinity || Number(row.dataset.words) < Number(least ?? 0);
    }
    body?.append(...[...rows].sort((one, other) => best(one) - best(other)));
    for (const part of place.querySelectorAll("section, details")) part.hidden = !part.querySelector("[data-keys]:not([hidden])");
    const shown = rows.filter((row) => !row.hidden).length;
    headline.textContent = shown === rows.length ? before : `${shown.toLocaleString("en")} of ${rows.length.toLocaleString("en")}`;
    status.textContent = headline.textContent;
  });
}

// The coverage map.

/** The number of the column by which rows are sorted, and whether the other way round: after a minus. Names of columns have hyphens. */
export function order(names, by) {
  const isReversed = by.startsWith("-");
  return { column: names.indexOf(isReversed ? by.slice(1) : by), isReversed };
}

function makeMap(form) {
  const place = document.getElementById(form.dataset.map), table = place.querySelector("table"), headRow = table.tHead.rows[0];
  const heads = [...headRow.cells], names = heads.map((head) => head.dataset.column), columns = heads.map((_, number) => number).slice(2);
  const rows = [...table.tBodies[0].rows].map((row) => {
    const cells = [...row.cells];
    return { row, cells, counts: cells.map((cell) => Number(cell.textContent.replaceAll(",", "")) || 0), ...row.dataset };
  });
  const of = { rows, columns };
  let drawn = columns.join(), isArriving = location.hash === "#enough"; // which is hidden while the page is loaded

  const update = live(form, (index, { language, category, sort, topic, kind, script, minimum_words: fewest, variants }) => {
    const least = Number(fewest) || 1, meant = language.trim() ? languageRanks(index, language) : undefined;
    const isMeant = new Set([...(meant?.keys() ?? [])].map((each) => each.key));
    const found = category.trim() ? ranks(index, category, index.categories) : undefined;
    const fits = new Map([...(found ?? [])].filter(([, rank]) => rank !== IN_TEXT).map(([each, rank]) => [each.key, rank]));
    let shown = rows.filter((each) => (!meant || isMeant.has(each.code)) && (!script || each.script.split(" ").includes(script)));
    const filled = (column) => shown.filter((each) => each.counts[column] >= least).length;
    const wanted = columns.filter((column) => {
      const { topic: itsTopic, kind: itsKind } = heads[column].dataset;
      return (!topic || topic === itsTopic) && (!kind || kind === itsKind) && (!found || fits.has(names[column])) && filled(column);
    });
    if (found) wanted.sort((one, other) => fits.get(names[one]) - fits.get(names[other]) || filled(other) - filled(one));
    shown = shown.filter((each) => wanted.some((column) => each.counts[column] >= least));
    const codes = new Set(shown.map((each) => each.code));
    if (!variants) shown = shown.filter((each) => !codes.has(each.whole));
    const by = sort || (found && wanted.length ? names[wanted[0]] : "_name");
    Object.assign(of, { rows: sorted(shown, by), columns: wanted, least });
    draw(by);
    tell(index, language, meant);
  });

  /** Rows by a column, the largest number or the letter A first; with a minus, the other way round. */
  function sorted(some, by) {
    const { column, isReversed } = order(names, by);
    if (column > 0) return [...some].sort((one, other) => (isReversed ? 1 : -1) * (one.counts[column] - other.counts[column]));
    return isReversed ? [...some].reverse() : some; // the page has them by name
  }

  function draw(by) {
    const isShown = new Set(of.rows), inOrder = [0, 1, ...of.columns, ...columns.filter((column) => !of.columns.includes(column))];
    if (drawn !== of.columns.join()) {
      for (const [row, cells] of [[headRow, heads], ...rows.map((each) => [each.row, each.cells])]) {
        cells.forEach((cell, column) => (cell.hidden = column > 1 && !of.columns.includes(column)));
        row.append(...inOrder.map((column) => cells[column]));
      }
      drawn = of.columns.join();
    }
    for (const each of rows) {
      each.row.hidden = !isShown.has(each);
      for (const column of of.columns) each.cells[column].classList.toggle("below", each.counts[column] < of.least);
    }
    table.tBodies[0].append(...of.rows.map((each) => each.row));
    for (const head of heads) head.ariaSort = "none";
    const { column, isReversed } = order(names, by), isUp = isReversed === column > 0;
    if (column >= 0) heads[column].ariaSort = isUp ? "ascending" : "descending";
    place.querySelector("[data-headline]").textContent = status.textContent =
      `${counted(of.rows.length, "language")}, ${counted(of.columns.length, "category or relation", "categories and relations")}`;
  }

  /** Whether the languages that are asked for have enough words, and which are not known. */
  function tell(index, text, meant) {
    const section = place.querySelector("#enough"), { found, unknown } = languagesIn(index, text);
    const shown = new Set(of.rows.map((each) => each.code)), line = new Map(rows.map((each) => [each.code, each]));
    const verdicts = [...(meant?.keys() ?? [])].filter((each) => shown.has(each.key)).slice(0, 20);
    section.hidden = !verdicts.length;
    section.querySelector("ul").replaceChildren(...verdicts.map((each) => element("li", [
      link(`/languages/${each.key}`, each.title), ". ", element("strong", `${each.enough}.`), " ",
      element("span", `${counted(each.everyday, "everyday category", "everyday categories")}, ${counted(each.pairs, "related pair")}, ${counted(each.words, "word")}`, { className: "quiet" }),
    ])));
    const isList = found.size + unknown.length > 1 || !of.rows.length;
    const problems = isList ? unknown.map((piece) => `No language is called “${piece}”, or more than one.`) : [];
    for (const each of isList ? found.keys() : []) if (!each.phrases) problems.push(sentence(each.lacking));
    place.querySelector("#problems").replaceChildren(...problems.map(problem));
    if (isArriving) section.focus();
    isArriving = false;
  }

  /** Sort by a column, or the other way round (with a minus), for which the field has no option at first. */
  function sortBy(wanted) {
    const field = form.elements.sort, options = new Map([...field.options].map((each) => [each.value, each.textContent]));
    if (!options.has(wanted)) field.add(new Option(`${options.get(wanted.slice(1))}, reversed`, wanted));
    field.value = wanted;
    update();
  }

  const asked = new URLSearchParams(location.search).get("sort");
  if (asked?.startsWith("-") && names.includes(asked.slice(1))) sortBy(asked);
  for (const each of table.querySelectorAll(".sort")) each.hidden = false;
  table.addEventListener("click", (event) => {
    const sorter = event.target.closest(".sort");
    if (!sorter) return;
    event.preventDefault();
    const head = sorter.closest("th"), name = head.dataset.column, { value } = form.elements.sort;
    const isSorted = (value || "_name") === name || (head.ariaSort !== "none" && value !== `-${name}`);
    sortBy(isSorted ? `-${name}` : name);
  });
  place.querySelector("#csv").addEventListener("click", ({ currentTarget }) => offer(currentTarget, "text/csv", asCsv(of, names)));
  place.querySelector("#json").addEventListener("click", ({ currentTarget }) => offer(currentTarget, "application/json", asJson(of, names)));
}

const byCode = (rows) => [...rows].sort((one, other) => (one.code < other.code ? -1 : 1));

/** What a link downloads: the table as it is shown. */
function offer(link, type, text) {
  URL.revokeObjectURL(link.href); // that of an earlier click
  link.href = URL.createObjectURL(new Blob([text], { type }));
}

function asCsv({ rows, columns, least = 1 }, names) {
  const cell = (text) => (/^[=+\-@]/.test(text) ? `'${visible(text)}` : visible(text)); // no formula for a spreadsheet
  const quoted = (text) => (/[",\n]/.test(text) ? `"${cell(text).replaceAll('"', '""')}"` : cell(text));
  const lines = byCode(rows).map(({ code, name, counts }) => [code, quoted(name), ...columns.map((column) => (counts[column] >= least ? counts[column] : 0))]);
  return [["code", "name", ...columns.map((column) => quoted(names[column]))], ...lines].map((line) => `${line.join(",")}\n`).join("");
}

function asJson({ rows, columns, least = 1 }, names) {
  const lines = byCode(rows).map(({ code, name, script, counts }) => ({
    code, name, scripts: script.split(" ").filter(Boolean),
    words: Object.fromEntries(columns.filter((column) => counts[column] >= least).map((column) => [names[column], counts[column]])),
  }));
  return JSON.stringify({ categories: columns.map((column) => names[column]), rows: lines });
}

// Words in several languages side by side.

const NO_NAME = 1; // the number of this reason in `names.json`

async function besides(form) {
  const table = form.parentElement.querySelector("table"), notes = document.getElementById("meanings"), fields = [...form.querySelectorAll("[name=language]")];
  const texts = new URLSearchParams(location.search).getAll("language").map((text) => text.trim()).filter(Boolean);
  const english = table.querySelector("[data-code]");
  form.hidden = false;
  fields[0].value = english.querySelector("strong").textContent;
  if (!texts.length) return;
  for (const each of document.querySelectorAll(".pages a")) each.search = location.search;
  const index = await loadedIndex().catch(() => undefined);
  if (!index) return notes.append(problem(NOT_FETCHED));
  const chosen = new Map(), unknown = [];
  for (const { found, unknown: others } of texts.map((text) => languagesIn(index, text))) {
    for (const [each, text] of found) chosen.set(each, text);
    unknown.push(...others);
  }
  const known = [...chosen.keys()].filter((each) => each.phrases).slice(0, fields.length);
  if (known.length < 2) known.unshift(...[index.exact.get(english.dataset.code)].filter((each) => each && !known.includes(each)));
  [...known.map((each) => each.title), ...unknown].slice(0, fields.length).forEach((text, number) => (fields[number].value = text));
  for (const [each, text] of chosen) {
    if (!each.phrases) notes.append(problem(sentence(each.lacking)));
    else if (![each.key, key(each.title)].includes(key(text)))
      notes.append(element("p", [`“${text}” → ${each.title}, `, element("code", each.key), `, ${counted(each.words, "word")}`], { className: "quiet" }));
  }
  notes.append(...unknown.map((text) => problem(`No language is called “${text}”, or more than one.`)));
  for (const build of document.querySelectorAll("[data-build]"))
    for (const each of known) if (each.key !== english.dataset.code) build.search += `&language=${each.key}`;
  const made = await Promise.all(known.map((each) => (each.key === english.dataset.code ? undefined : columnOf(each, form))));
  const place = english.cellIndex, rows = [table.tHead.rows[0], ...table.tBodies[0].rows], own = rows.map((row) => row.cells[place]);
  rows.forEach((row, number) => {
    own[number].remove();
    row.prepend(...made.map((column) => (column ? column[number] : own[number])));
  });
}

/** The head and the cells of a language, for the rows that are on the page. */
async function columnOf(language, { dataset: { beside, first, unit, onWikidata } }) {
  const fetched = await namesOf(language, beside).catch(() => undefined);
  const all = fetched ?? { name: language.title, names: {}, reasons: [], sizes: {}, dropped: {} };
  const rows = [...document.querySelectorAll("table.items tbody tr")], dropped = new Set(all.dropped[beside]);
  const [size, leftOut] = all.sizes[beside] ?? [0, []];
  const head = element("th", [element("strong", all.name), ` ${counted(size, unit)}`], { scope: "col" });
  head.dataset.code = language.key;
  for (const [why, count] of leftOut) head.append(element("br"), `${count.toLocaleString("en")} left out: ${all.reasons[why]}`);
  if (!fetched) head.append(element("br"), "its words cannot be fetched");
  return [head, ...rows.map((row, number) => {
    const ids = row.lastElementChild.textContent.trim().split(/\s+/), addresses = new Map([...row.lastElementChild.querySelectorAll("a")].map((each) => [each.textContent, each.href]));
    const wrong = (text, id) => linkOfWrong(language.key, id, text, onWikidata === undefined ? undefined : addresses.get(id));
    return cellOf(all, ids, dropped.has(Number(first) + number), wrong);
  })];
}

/** The names of a language by item, with the words that its test set has. */
async function namesOf({ key }, beside) {
  const get = async (path) => {
    const answer = await fetch(`${page.root}${path}`);
    if (!answer.ok) throw new Error(answer.statusText);
    return answer.json();
  };
  const all = await get(`/languages/${key}/names.json`), { categories, relations } = all.file ? await get(all.file) : { categories: [], relations: [] };
  const sections = [...categories, ...relations].sort((one, other) => (one.name === beside) - (other.name === beside)); // its own words count
  for (const { items } of sections) for (const { id, words } of items) all.names[id] = [0, ...words];
  return all;
}

/** A link beside a word that is wrong: to its item if words are corrected there, else to the page of its language. */
function linkOfWrong(code, item, text, address) {
  const made = address ? element("a", [], { href: address, rel: "external" }) : link(`/languages/${code}`, "");
  if (!address) Object.assign(made, { hash: "wrong" }).dataset.item = item;
  return Object.assign(made, { className: "wrong", ariaLabel: `${text}: wrong?` });
}

/** A cell with the words of the items of a row, each with a link for a wrong one. An item has the number of the reason why it has no word (0: it has some), then texts. */
function cellOf({ tag, direction, names, reasons }, ids, isDropped, wrong) {
  const named = ids.map((id) => names[id] ?? [NO_NAME]), sides = named.map(([, ...texts]) => texts);
  const same = isDropped ? (ids.length > 1 ? "the same word twice" : "the word of another item") : "";
  const why = [...new Set(named.map(([reason]) => reasons[reason] ?? "no name").filter(Boolean))].join(", ") || same;
  const words = (side, id) => side.flatMap((text, number) => [...(number ? [" · "] : []), element("span", text, { className: "word", lang: tag, dir: direction }), wrong(text, id)]);
  const texts = sides.flatMap((side, number) => [...words(side, ids[number]), ...(number < sides.length - 1 && side.length ? [" – "] : [])]);
  return element("td", [...texts, ...(why ? [" ", element("span", why, { className: "why" })] : [])], { className: why ? "left-out" : "" });
}

if (globalThis.document) {
  for (const form of document.querySelectorAll("[data-searches]")) makeSearch(form);
  for (const form of document.querySelectorAll("[data-narrows]")) makeList(form);
  for (const form of document.querySelectorAll("[data-map]")) makeMap(form);
  for (const form of document.querySelectorAll("[data-beside]")) besides(form);
  for (const form of document.querySelectorAll("[data-script-only]")) form.hidden = false;
}
