// One of the overview's questions: its answer as a number with words beside it, below that rows of what it is made of, each a link.

const part = (piece) => {
  const words = piece.href ? follows(element("a", "", piece.text)) : element("span", "", piece.text);
  if (piece.href) words.href = piece.href;
  if (piece.kind === "chip") return element("span", `chip ${piece.look}`, piece.text);
  if (piece.kind !== "number") return words;
  const number = element("b");
  number.append(words);
  return number;
};

const paragraph = (kind, pieces) => {
  const made = element("p", kind);
  made.append(...pieces.map(part));
  return made;
};

const barOf = (row) => {
  const bar = element("span", "bar");
  const filled = element("span", `filled ${row.look}`);
  filled.style.width = `${100 * row.share}%`;
  bar.append(filled);
  return bar;
};

const nameOf = (row) => {
  const cell = element("th");
  cell.scope = "row";
  const words = element(row.href ? "a" : "span", "", row.name);
  if (row.href) follows(words).href = row.href;
  cell.append(words);
  if (row.beside) {
    cell.className = "cut";
    cell.append(element("span", "beside", row.beside));
    cell.title = cell.textContent;
  }
  return cell;
};

const rowOf = (row) => {
  const line = element("tr");
  line.append(nameOf(row));
  if (row.share !== undefined) {
    const cell = element("td", "drawn");
    cell.append(barOf(row));
    line.append(cell);
  }
  line.append(...row.cells.map((text) => element("td", "", text)));
  return line;
};

const tableOf = (data) => {
  const table = element("table");
  table.setAttribute("aria-label", data.label);
  if (data.heads.length) {
    const heads = element("tr");
    for (const text of data.heads) heads.append(Object.assign(element("th", "", text), { scope: "col" }));
    const head = element("thead");
    head.append(heads);
    table.append(head);
  }
  const body = element("tbody");
  body.append(...data.rows.map(rowOf));
  table.append(body);
  return table;
};

export default function ({ data: [data], parentElement }) {
  const pane = parentElement.querySelector(".question");
  pane.setAttribute("aria-label", data.question);
  pane.replaceChildren(
    element("h2", "", data.question),
    ...(data.lead.length ? [paragraph("lead", data.lead)] : []),
    ...data.notes.map((pieces) => paragraph("note", pieces)),
    ...(data.rows.length ? [tableOf(data)] : []),
    ...data.below.map((pieces) => paragraph("below", pieces)),
  );
}
