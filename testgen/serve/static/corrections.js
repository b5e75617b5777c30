// A word that is wrong: the link beside it takes it along to the page of its language, which fills in what can be done about it.

/** Tell the page of the language which word it is. Without scripts, the link leads to the same place. */
function take({ target }) {
  const link = target.closest?.("a[data-item]");
  if (link) link.search = new URLSearchParams({ item: link.dataset.item, word: link.previousElementSibling.textContent });
}

/** Name the word, lead to its item, and write the line of a file of corrections as its field is filled in. */
function fill(section, item, word) {
  const part = (name) => section.querySelector(`[data-correction="${name}"]`), line = section.querySelector("#correction code"), right = part("right");
  part("word").textContent = word;
  part("item").textContent = item;
  right.value = word;
  const write = () => (line.textContent = [item, section.dataset.code, right.value.replace(/\s+/g, " ").trim()].join("\t"));
  write();
  right.addEventListener("input", write);
  if (/^[QL]\d+$/.test(item)) for (const link of section.querySelectorAll("[data-items]")) link.href = link.dataset.items.replace("ITEM", item);
  for (const each of section.querySelectorAll("[data-filled]")) each.hidden = false;
  section.open = true;
  section.querySelector("#wrong").focus();
}

for (const kind of ["click", "auxclick"]) document.addEventListener(kind, take);
const section = document.getElementById("wrong-word"), chosen = new URLSearchParams(location.search), item = chosen.get("item") ?? "";
if (section && /^\S{1,100}$/.test(item)) fill(section, item, (chosen.get("word") ?? "").slice(0, 200));
