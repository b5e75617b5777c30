// The coverage map: filters and sorts in the page what the service has put there.

const form = document.getElementById("filter");
let map = document.getElementById("map");
let heads, rows, minimum = 1, order = "_name";

/** The table as numbers: rows with their cells, heads with the place of their column. */
function read() {
  heads = [...map.querySelectorAll("thead th")].map((head) => ({
    head,
    name: head.dataset.column,
    title: head.textContent.trim(),
    topic: head.dataset.topic,
  }));
  rows = [...map.querySelectorAll("tbody tr")].map((row) => {
    const cells = [...row.cells];
    return {
      row,
      cells,
      name: cells[0].textContent.toLowerCase(),
      label: cells[0].firstChild.textContent,
      code: row.dataset.code,
      scripts: row.dataset.scripts.split(" "),
      counts: cells.map((cell, place) => (place ? number(cell) : 0)),
    };
  });
}

function number(cell) {
  return Number(cell.textContent.replaceAll(",", ""));
}

/** A page that came narrowed has not all rows; fetch them once. */
async function complete() {
  if (!("narrowed" in map.dataset)) return;
  const page = new DOMParser().parseFromString(await (await fetch("/coverage")).text(), "text/html");
  map.replaceChildren(...page.getElementById("map").childNodes);
  delete map.dataset.narrowed;
  read();
}

function wanted() {
  const fields = form.elements;
  return {
    q: fields.q.value.trim().toLowerCase(),
    script: fields.script.value,
    topic: fields.topic.value,
    minimum: Math.max(1, Number(fields.minimum_words.value) || 1),
  };
}

function narrow() {
  const { q, script, topic, minimum: least } = wanted();
  if (least !== minimum) recolour(least);
  const open = heads.map((head, place) => place > 1 && (!topic || head.topic === topic));
  const filled = heads.map(() => false);
  for (const each of rows) {
    const sought = each.name.includes(q) && (!script || each.scripts.includes(script));
    let any = false;
    if (sought) {
      for (let place = 2; place < open.length; place++) {
        if (open[place] && each.counts[place] >= least) any = filled[place] = true;
      }
    }
    each.row.hidden = !any;
  }
  heads.forEach((head, place) => place > 1 && showColumn(place, filled[place]));
  const sum = (each) => each.counts.reduce((all, n, place) => (filled[place] && n >= least ? all + n : all), 0);
  for (const each of rows) if (!each.row.hidden) write(each.cells[1], sum(each).toLocaleString("en"));
}

function write(cell, text) {
  if (cell.textContent !== text) cell.textContent = text;
}

function showColumn(place, on) {
  if (heads[place].head.hidden === !on) return;
  heads[place].head.hidden = !on;
  for (const each of rows) each.cells[place].hidden = !on;
}

/** Leave out counts that are too low. */
function recolour(least) {
  const before = minimum;
  minimum = least;
  for (const { cells, counts } of rows) {
    for (let place = 2; place < cells.length; place++) {
      const n = counts[place], shown = n >= least;
      if (!n || shown === n >= before) continue;
      cells[place].textContent = shown ? n.toLocaleString("en") : "";
      cells[place].classList.toggle("below", !shown);
    }
  }
}

function sort() {
  const column = order.replace(/^-/, ""), place = heads.findIndex((each) => each.name === column);
  const sign = order.startsWith("-") ? -1 : 1;
  const value = ({ cells, counts }) => {
    if (place === 1) return number(cells[1]); // it changes with the filter
    return counts[place] >= minimum ? counts[place] : 0;
  };
  const values = new Map(place > 0 ? rows.map((each) => [each, value(each)]) : []);
  const byName = (a, b) => (a.label < b.label ? -1 : Number(a.label > b.label));
  const byValue = (a, b) => sign * (values.get(b) - values.get(a)) || byName(a, b);
  rows.sort(place > 0 ? byValue : (a, b) => sign * byName(a, b));
  map.querySelector("tbody").append(...rows.map((each) => each.row));
  for (const { head, name } of heads) {
    const own = name === column, up = (sign < 0) !== (name === "_name");
    head.setAttribute("aria-sort", own ? (up ? "ascending" : "descending") : "none");
    head.querySelector("button").value = own && sign > 0 ? `-${name}` : name;
  }
}

/** Say how much is shown, and have the links and the address of the page lead to the same. */
function tell() {
  const shown = rows.filter((each) => !each.row.hidden);
  const columns = heads.filter(({ head }, place) => place > 1 && !head.hidden).length;
  const { q, script, topic, minimum: least } = wanted();
  document.getElementById("shown").textContent =
    `${shown.length} language${shown.length === 1 ? "" : "s"}, ${columns} categor${columns === 1 ? "y" : "ies"}`;
  const table = new URLSearchParams(q || script ? shown.map((each) => ["language", each.code]) : []);
  const page = new URLSearchParams();
  for (const [name, value] of [["q", q], ["script", script]]) if (value) page.set(name, value);
  for (const pairs of [table, page]) {
    if (topic) pairs.set("topic", topic);
    if (least > 1) pairs.set("minimum_words", least);
  }
  if (order !== "_name") page.set("sort", order);
  document.getElementById("downloads").hidden = !shown.length;
  document.getElementById("csv").href = address("/api/v1/coverage.csv", table);
  document.getElementById("json").href = address("/api/v1/coverage", table);
  history.replaceState(null, "", address("/coverage", page));
}

function address(place, pairs) {
  return pairs.size ? `${place}?${pairs}` : place;
}

let timer;
form.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(async () => {
    await complete();
    narrow();
    if (order !== "_name") sort();
    tell();
  }, 60);
});
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  if (event.submitter?.name === "sort") order = event.submitter.value;
  await complete();
  narrow();
  sort();
  tell();
});

order = new URLSearchParams(location.search).get("sort") || order;
read();
