"use strict";
// The heading of a column becomes a button: numbers are sorted with the highest first, names from A; then the other way.
for (const table of document.querySelectorAll("table")) {
  const body = table.tBodies[0];
  const heads = [...table.tHead.rows[table.tHead.rows.length - 1].cells];
  heads.forEach((head, column) => {
    const numbers = head.className.includes("number");
    const first = numbers ? "descending" : "ascending";
    const valueOf = (row) => {
      const text = row.cells[column].textContent.trim();
      return numbers ? Number.parseFloat(text.replace(/^[^0-9+-]*|,/g, "")) : text;
    };
    const compare = (one, other) => (numbers ? one - other : one.localeCompare(other));
    const button = document.createElement("button");
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const other = first === "ascending" ? "descending" : "ascending";
      const order = head.getAttribute("aria-sort") === first ? other : first;
      const sign = order === "ascending" ? 1 : -1;
      const missing = (row) => Number.isNaN(valueOf(row));
      const rows = [...body.rows];
      const sorted = rows.filter((row) => !numbers || !missing(row));
      sorted.sort((one, another) => sign * compare(valueOf(one), valueOf(another)));
      body.append(...sorted, ...rows.filter((row) => numbers && missing(row)));
      for (const each of heads) each.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", order);
    });
  });
}
