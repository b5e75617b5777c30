// Scripts of all pages: buttons that copy, and forms that show their results while people type.

const WAIT = 150; // milliseconds without a key press before the service is asked

for (const each of document.querySelectorAll("[data-no-script]")) each.hidden = true;

function showCopyButtons() {
  for (const button of document.querySelectorAll("[data-copies]")) button.hidden = false;
}

async function copy(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  // Browsers give no clipboard to pages that come from another machine without TLS.
  const area = document.createElement("textarea");
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copies]");
  if (!button) return;
  const label = button.firstChild;
  try {
    await copy(document.getElementById(button.dataset.copies).textContent);
    label.textContent = "Copied";
  } catch {
    label.textContent = "Select it and press Ctrl+C";
  }
  button.focus();
  setTimeout(() => (label.textContent = "Copy"), 2000);
});

/** The query of a form, without fields that are empty or have their default value. */
function query(form) {
  const pairs = new URLSearchParams();
  for (const field of form.elements) {
    const counts = field.name && !field.disabled && field.value.trim() !== "" && field.type !== "submit";
    const chosen = field.type !== "checkbox" || field.checked;
    if (counts && chosen && field.value !== field.dataset.usual) pairs.append(field.name, field.value);
  }
  return pairs.size ? `?${pairs}` : "";
}

/** What the summary of a part that folds says, without counts, which change. */
function headOf(details) {
  return details.querySelector("summary").textContent.replace(/[\d,]/g, "");
}

function makeLive(form) {
  const place = document.getElementById(form.dataset.live), page = new URL(form.action).pathname;
  const status = document.querySelector("[data-status]");
  let timer, latest = 0, shown = query(form);

  async function show() {
    const wanted = query(form);
    if (wanted === shown) return;
    const turn = ++latest;
    const part = await answer((form.dataset.from || page) + wanted);
    if (turn !== latest) return; // a newer request is under way
    shown = wanted;
    const open = [...place.querySelectorAll("details[open]")].map(headOf);
    place.replaceChildren(...part.childNodes);
    for (const each of place.querySelectorAll("details")) each.open ||= open.includes(headOf(each));
    showCopyButtons();
    history.replaceState(null, "", page + wanted);
    const headline = place.querySelector("[data-headline]");
    status.textContent = headline ? headline.textContent : "";
  }

  async function answer(address) {
    try {
      const response = await fetch(address);
      const found = new DOMParser().parseFromString(await response.text(), "text/html");
      return found.getElementById(place.id) || problem(found.querySelector(".detail").textContent);
    } catch {
      return problem("The service does not answer. Is your connection up? Change something to try again.");
    }
  }

  function soon() {
    clearTimeout(timer);
    timer = setTimeout(show, WAIT);
  }
  form.addEventListener("input", soon);
  form.addEventListener("change", soon);
}

function problem(text) {
  const box = document.createElement("div"), line = document.createElement("p");
  line.className = "problem";
  line.dataset.headline = "";
  line.textContent = text;
  box.append(line);
  return box;
}

showCopyButtons();
for (const form of document.querySelectorAll("form[data-live]")) makeLive(form);
