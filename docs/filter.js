// A field above each long table: rows that lack one of the typed words are hidden.
for (const details of document.querySelectorAll("details.filtered")) {
  const rows = [...details.querySelectorAll("tbody tr")];
  const field = document.createElement("input");
  field.type = "search";
  field.placeholder = "Filter";
  field.setAttribute("aria-label", `Filter: ${details.querySelector("summary").textContent}`);
  const count = document.createElement("span");
  count.setAttribute("role", "status");
  const show = () => {
    const words = field.value.toLowerCase().split(/\s+/);
    let left = 0;
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
      left += !row.hidden;
    }
    count.textContent = ` ${left} of ${rows.length} rows`;
  };
  field.addEventListener("input", show);
  details.querySelector("summary").after(field, count);
  show();
}
