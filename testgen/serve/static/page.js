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
