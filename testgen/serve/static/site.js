// What the service does on its own machine, for pages that are files: search, lists to narrow, maps to sort, words side by side.

const root = document.documentElement.dataset.root;
const asked = new URLSearchParams(location.search);
const status = document.querySelector("[data-status]");

/** A text without accents and capitals. */
function plain(text) {
  return text.normalize("NFKD").replace(/[\u0300-\u036f]/g, "").toLowerCase().trim();
}

function element(name, text = "", attributes = {}) {
  const made = Object.assign(document.createElement(name), attributes);
  made.append(text);
  return made;
}

/** How well names fit a text: 0 is one of them, 1 begins one, 2 is within one; 3 if it fits none. */
function rank(names, text) {
  return Math.min(3, ...names.map((name) => {
    if (name === text) return 0;
    return name.startsWith(text) ? 1 : name.includes(text) && text.length > 2 ? 2 : 3;
  }));
}

/** How many letters must be put in, left out or replaced to make one text of another. */
function edits(one, other) {
  let row = [...other, ""].map((_, place) => place);
  [...one].forEach((letter, number) => {
    const next = [number + 1];
    [...other].forEach((each, place) => next.push(Math.min(next[place] + 1, row[place + 1] + 1, row[place] + (each !== letter))));
    row = next;
  });
  return row.at(-1);
}

/** What is misspelt as this text: one letter in four may be wrong. */
function similar(entries, text) {
  const near = entries.map((each) => [Math.min(...each.names.map((name) => edits(name, text))), each]);
  return near.filter(([wrong]) => wrong <= text.length / 4);
}

function makeSearch(form) {
  const most = 12, place = document.getElementById("results");
  const index = JSON.parse(document.getElementById(form.dataset.searches).textContent);
  const entries = index.map(([path, title, note, names]) => ({ path, title, note, names: names.map(plain) }));
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", () => {
    const text = plain(form.elements.q.value);
    const found = text ? entries.map((each) => [rank(each.names, text), each]).filter(([fits]) => fits < 3) : [];
    const isMisspelt = text && !found.length;
    if (isMisspelt) found.push(...similar(entries, text));
    found.sort(([one], [other]) => one - other);
    const list = element("ul", "", { className: "list" });
    for (const [, each] of found.slice(0, most)) {
      const line = element("li", element("a", each.title, { href: root + each.path }));
      line.append(" ", element("span", each.note, { className: "quiet" }));
      list.append(line);
    }
    status.textContent = text ? `${found.length} found` : "";
    const more = found.length > most ? `the first ${most} of ${found.length}` : `${found.length} found`;
    const typed = `“${form.elements.q.value}”`, headline = isMisspelt && found.length ? `Nothing is called ${typed}. Did you mean one of these?` : `${typed}: ${more}`;
    place.replaceChildren(...(text ? [element("h2", headline), list] : []));
  });
}

function makeNarrow(form) {
  const place = document.getElementById(form.dataset.narrows), headline = place.querySelector("[data-headline]");
  const rows = [...place.querySelectorAll("tbody tr, .sections > li")];
  const texts = rows.map((row) => plain((row.querySelector("th") || row).textContent));
  const given = asked.get("q") || asked.get("topic");
  function show() {
    const text = plain(form.elements.q.value);
    let shown = 0;
    rows.forEach((row, place) => shown += !(row.hidden = !texts[place].includes(text)));
    for (const part of place.querySelectorAll("section")) {
      if (!plain(part.querySelector("h2").textContent).includes(text)) part.hidden = !part.querySelector("li:not([hidden])");
      else for (const row of [part, ...part.querySelectorAll("li")]) row.hidden = false;
    }
    status.textContent = headline.textContent = `${place.querySelectorAll("tbody tr:not([hidden]), .sections > li:not([hidden])").length} of ${rows.length}`;
  }
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", show);
  if (given) {
    form.elements.q.value = given;
    show();
  }
}

function number(cell) {
  return Number(cell.textContent.replaceAll(",", ""));
}

/** Rows by the numbers of a column, the largest first; by the first column, in the order of the alphabet; again: reversed. */
function sortBy(head) {
  const body = head.closest("table").tBodies[0], column = head.cellIndex, before = head.ariaSort;
  const order = column ? (one, other) => number(other.cells[column]) - number(one.cells[column])
    : (one, other) => one.cells[0].textContent.localeCompare(other.cells[0].textContent);
  const rows = [...body.rows].sort(order);
  const now = before === (column ? "descending" : "ascending") ? (column ? "ascending" : "descending") : (column ? "descending" : "ascending");
  if (now === (column ? "ascending" : "descending")) rows.reverse();
  for (const each of head.parentElement.cells) each.ariaSort = each === head ? now : "none";
  body.append(...rows);
}

/** Other languages beside the first one, with the words of their test sets. */
async function besides(form) {
  const options = [...form.querySelectorAll("datalist option")], table = form.parentElement.querySelector("table");
  const texts = asked.getAll("language").filter((text) => text.trim());
  const codes = texts.map((text) => {
    const option = options.find((each) => [each.value, each.textContent].map(plain).includes(plain(text)));
    return option ? option.textContent : text;
  });
  texts.forEach((text, place) => { if (form.elements[place]) form.elements[place].value = text; });
  for (const code of new Set(codes)) {
    if (table.querySelector(`[data-code="${CSS.escape(code)}"]`)) continue;
    const response = await fetch(`${root}/api/v1/test-sets/${encodeURIComponent(code)}.json`).catch(() => null);
    const set = response?.ok ? await response.json() : { categories: [], relations: [] };
    const section = [...set.categories, ...set.relations].find((each) => each.name === form.dataset.beside);
    addColumn(table, code, section);
  }
}

function addColumn(table, code, section) {
  const words = new Map((section?.items || []).map((item) => [item.id, item.words.join(" · ")]));
  const name = section ? code : `${code}: too few words, or no such language`;
  const head = element("th", name, { scope: "col" });
  head.dataset.code = code;
  table.tHead.rows[0].lastElementChild.before(head);
  for (const row of table.tBodies[0].rows) {
    const ids = row.dataset.row.split(" ");
    const text = ids.every((id) => words.has(id)) ? ids.map((id) => words.get(id)).join(" – ") : "";
    row.lastElementChild.before(element("td", element("span", text, { className: "word", lang: code, dir: "auto" })));
  }
}

for (const form of document.querySelectorAll("[data-searches]")) makeSearch(form);
for (const form of document.querySelectorAll("[data-narrows]")) makeNarrow(form);
for (const form of document.querySelectorAll("[data-beside]")) besides(form);
for (const each of document.querySelectorAll("[data-searches], [data-narrows], [data-beside], .sort")) each.hidden = false;
document.addEventListener("click", (event) => {
  const link = event.target.closest(".sort");
  if (!link) return;
  event.preventDefault();
  sortBy(link.closest("th"));
});
