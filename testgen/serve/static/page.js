// The script of all pages: buttons that copy, wherever they are put later.

for (const each of document.querySelectorAll("[data-no-script]")) each.hidden = true;
document.documentElement.classList.add("script"); // shows the buttons

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

// Filters of long lists: what lacks the text is hidden, and so are parts in which nothing is left.

const foldedText = (text) => text.toLowerCase().normalize("NFKD").replace(/\p{M}/gu, "");

for (const field of document.querySelectorAll("[data-filters]")) {
  const status = document.createElement("span");
  status.className = "quiet";
  status.role = "status";
  field.after(status);
  field.closest("p").hidden = false;
  field.addEventListener("input", () => {
    const sought = foldedText(field.value.trim()), place = document.getElementById(field.dataset.filters);
    const entries = [...place.querySelectorAll("tbody tr, .sections > li")];
    for (const each of entries) each.hidden = !foldedText(each.textContent).includes(sought);
    for (const part of place.querySelectorAll("section")) part.hidden = !part.querySelector("tbody tr:not([hidden]), .sections > li:not([hidden])");
    const left = entries.filter((each) => !each.hidden).length;
    status.textContent = sought ? `${left.toLocaleString("en")} of ${entries.length.toLocaleString("en")}` : "";
  });
}
