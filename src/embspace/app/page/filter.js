// Shows the rows of the ledger whose verdict is the chosen one and that hold the typed text.
const ledger = document.getElementById("ledger");
const rows = ledger ? [...ledger.querySelectorAll("tbody tr")] : [];
if (rows.length) {
  const verdictOf = (row) => {
    const heads = [...row.closest("table").tHead.rows[0].cells];
    const place = heads.findIndex((cell) => cell.textContent.trim() === "verdict");
    return place < 0 ? "" : row.cells[place].textContent.trim();
  };
  const form = document.createElement("p");
  const chosen = document.createElement("select");
  const typed = document.createElement("input");
  const said = document.createElement("span");
  chosen.setAttribute("aria-label", "Verdict of the rows that are shown");
  typed.setAttribute("aria-label", "Text in the rows that are shown");
  typed.type = "search";
  typed.placeholder = "text of a claim";
  said.setAttribute("role", "status");
  for (const verdict of ["all verdicts", ...new Set(rows.map(verdictOf).filter(Boolean))]) {
    chosen.append(new Option(verdict));
  }
  const show = () => {
    const wanted = typed.value.toLowerCase();
    let shown = 0;
    for (const row of rows) {
      const fits = chosen.selectedIndex === 0 || verdictOf(row) === chosen.value;
      row.hidden = !(fits && row.textContent.toLowerCase().includes(wanted));
      shown += !row.hidden;
    }
    said.textContent = ` ${shown} of ${rows.length} rows`;
  };
  chosen.addEventListener("change", show);
  typed.addEventListener("input", show);
  form.className = "filter";
  form.append(chosen, " ", typed, said);
  ledger.querySelector(".scrolled").before(form);
  show();
}
