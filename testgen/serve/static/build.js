// The form of the build page: chosen languages as chips, buttons for all categories of a topic, what they would make.

const WAIT = 150; // milliseconds without a change before the service is asked
const form = document.getElementById("build");
const typed = document.getElementById("language");
const chosen = document.getElementById("chosen");
const add = document.getElementById("add");
const names = new Map(), codes = new Map();

for (const option of document.getElementById("known-languages").options) {
  names.set(option.textContent, option.value);
  codes.set(option.value.toLowerCase(), option.textContent);
}

function changed() {
  form.dispatchEvent(new Event("change"));
}

/** Make chips of the typed text; unknown languages become chips too, and the service says what is wrong. */
function addTyped() {
  const text = typed.value.trim();
  const found = text.split(/[,;]+/).flatMap(codesIn).filter(Boolean);
  for (const code of found) addChip(code.toLowerCase());
  typed.value = "";
  if (found.length) changed();
}

/** The code of a name; else the words of a text if they look like codes, or the text, for the service to find. */
function codesIn(text) {
  const name = text.trim(), words = name.split(/\s+/);
  if (codes.has(name.toLowerCase())) return [codes.get(name.toLowerCase())];
  return words.every((word) => word.length < 4 || word.includes("-")) ? words : [name];
}

function addChip(code) {
  const there = [...chosen.querySelectorAll("input")].find((each) => each.value === code);
  if (there) {
    there.checked = true;
    return;
  }
  const chip = document.getElementById("chip").content.cloneNode(true);
  chip.querySelector("input").value = code;
  chip.querySelector("span").textContent = names.get(code) || code;
  chosen.append(chip);
}

/** Remove a chip that was unchecked. */
function removeUnchecked(event) {
  if (event.target.checked) return;
  const chip = event.target.closest("li");
  const next = chip.nextElementSibling || chip.previousElementSibling;
  chip.remove();
  (next ? next.querySelector("input") : typed).focus();
}

function count(topic) {
  const boxes = [...topic.querySelectorAll("input")];
  const checked = boxes.filter((box) => box.checked).length;
  topic.querySelector("[data-count]").textContent = checked ? `${checked} of ${boxes.length}` : boxes.length;
}

function checkAll(topic, on) {
  for (const box of topic.querySelectorAll("input")) box.checked = on;
  count(topic);
  changed();
}

if (typed.value.trim() === "") typed.value = "";
typed.removeAttribute("name"); // only the chips are sent
add.hidden = false;
add.addEventListener("click", () => {
  addTyped();
  typed.focus();
});
typed.addEventListener("keydown", (event) => {
  if (event.key !== "Enter") return;
  event.preventDefault();
  addTyped();
});
typed.addEventListener("input", (event) => {
  // Choosing from the list replaces the whole text; typing does not.
  if (codes.has(typed.value.toLowerCase()) && event.inputType !== "insertText" && !event.isComposing) addTyped();
});
chosen.addEventListener("change", removeUnchecked);
for (const topic of form.querySelectorAll("details.topic")) {
  const all = topic.querySelector("[data-all]");
  all.hidden = false;
  all.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button) checkAll(topic, button.value === "all");
  });
  topic.addEventListener("change", () => count(topic));
  count(topic);
}

/** The query of the form, without fields that are empty or have their default value. */
function query() {
  const pairs = new URLSearchParams();
  for (const field of form.elements) {
    const counts = field.name && !field.disabled && field.value.trim() !== "" && field.type !== "submit";
    const isChosen = field.type !== "checkbox" || field.checked;
    if (counts && isChosen && field.value !== field.dataset.usual) pairs.append(field.name, field.value);
  }
  return pairs.size ? `?${pairs}` : "";
}

/** What the summary of a part that folds says, without counts, which change. */
function headOf(details) {
  return details.querySelector("summary").textContent.replace(/[\d,]/g, "");
}

const page = new URL(form.action).pathname, status = document.querySelector("[data-status]");
let timer, latest = 0, shown = query();

async function show() {
  const wanted = query();
  if (wanted === shown) return;
  const turn = ++latest, preview = await answer(wanted), place = document.getElementById("preview");
  if (turn !== latest) return; // a newer request is under way
  shown = wanted;
  const open = [...place.querySelectorAll("details[open]")].map(headOf);
  place.replaceChildren(...preview.childNodes);
  for (const each of place.querySelectorAll("details")) each.open ||= open.includes(headOf(each));
  history.replaceState(null, "", page + wanted);
  status.textContent = place.querySelector("[data-headline]").textContent;
}

async function answer(wanted) {
  try {
    const response = await fetch(form.dataset.from + wanted);
    const found = new DOMParser().parseFromString(await response.text(), "text/html");
    return found.getElementById("preview") || problem(found.querySelector(".detail").textContent);
  } catch {
    return problem("The service does not answer. Is your connection up? Change something to try again.");
  }
}

function problem(text) {
  const box = document.createElement("div"), line = document.createElement("p");
  line.className = "problem";
  line.dataset.headline = "";
  line.textContent = text;
  box.append(line);
  return box;
}

for (const kind of ["input", "change"])
  form.addEventListener(kind, () => {
    clearTimeout(timer);
    timer = setTimeout(show, WAIT);
  });
