// The answer to a comparison: one sentence with its verdict, a table of two by two where turns pair, and what it rests on.

const SHAPES = { good: "✓ ", bad: "✕ " };

const drawGrid = (pane, grid) => {
  if (!grid) return;
  const table = element("table");
  table.setAttribute("aria-label", grid.label);
  const head = element("tr");
  head.append(element("td", "corner"));
  for (const label of grid.columns) {
    const cell = element("th", "", label);
    cell.scope = "col";
    head.append(cell);
  }
  table.append(head);
  for (const row of grid.rows) {
    const made = element("tr");
    const name = element("th", "", row.label);
    name.scope = "row";
    made.append(name);
    for (const cell of row.cells) {
      const shown = element("td", cell.look);
      shown.append(element("b", "", cell.count));
      const words = `${SHAPES[cell.look] ?? ""}${cell.words}`;
      if (cell.href) {
        const link = follows(element("a", "", words));
        link.href = cell.href;
        shown.append(link);
      } else shown.append(words);
      made.append(shown);
    }
    table.append(made);
  }
  pane.append(table);
};

export default function ({ data: [data], parentElement }) {
  const pane = (name) => {
    const found = parentElement.querySelector(name);
    found.replaceChildren();
    return found;
  };
  pane(".headline").append(element("span", `chip ${data.look}`, data.verdict), drawn(data.headline));
  drawGrid(pane(".grid"), data.grid);
  pane(".facts").append(...data.facts.flatMap(([name, said]) => [element("dt", "", name), element("dd", "", said)]));
}
