// A table whose rows lead somewhere: the link stands in the first cell, and a press anywhere in its row follows it.

// A long name is cut in its middle, since names that begin alike end otherwise: its end stays, its beginning gives way. The whole
// of it is what is copied and heard. What is written from right to left, or has tokens in it, is cut at its end.
const ENDING = 10;
const segmenter = new Intl.Segmenter();
const numbers = new Intl.NumberFormat("en-US");
const endingAt = (value) => {
  if (typeof value !== "string" || /[\u0590-\u08ff\ufb1d-\ufefc]/u.test(value)) return null;
  if (/^[ -~]*$/.test(value)) return value.length > 2 * ENDING ? value.length - ENDING : null; // most are, and to look at each takes a fifth of the table's time
  const characters = [...segmenter.segment(value)];
  return characters.length > 2 * ENDING ? characters.at(-ENDING).index : null;
};
const named = (value) => {
  const shown = element("span", "cut");
  if (typeof value === "string") shown.title = value;
  const cut = endingAt(value);
  if (cut === null) shown.append(element("span", "start", value));
  else shown.append(element("span", "start", value.slice(0, cut)), element("span", "end", value.slice(cut)));
  return shown;
};

// A share is all or nothing only where it is that, as shown_share of rates.py has it.
const percent = (share) => {
  const shown = `${(100 * share).toFixed(1)}%`;
  if (shown === "100.0%" && share < 1) return "> 99.9%";
  return shown === "0.0%" && share > 0 ? "< 0.1%" : shown;
};

const cells = {
  name: named,
  found: (value) => {
    const shown = element("span", "long");
    if (value === null) return shown;
    shown.append(drawn(value.before), element("mark", "", value.text), drawn(value.after));
    return shown;
  },
  text: (value) => element("span", "", value),
  title: (value) => {
    const shown = element("span", "", value);
    if (typeof value === "string") shown.title = value;
    return shown;
  },
  code: (value) => {
    const shown = element("code", "", value);
    if (typeof value === "string") shown.title = value;
    return shown;
  },
  long: (value) => element("span", "long", value),
  verdict: (value, column, index) => (value === "" ? element("span") : element("span", `chip ${column.looks[index]}`, value)),
  number: (value) => element("span", "", value === null ? "–" : typeof value === "number" ? numbers.format(value) : value),
  share: (value, column) => {
    if (value === null) return element("span", "", "–");
    const cell = element("span", "share");
    const bar = element("span", "bar");
    const filled = element("span", "filled");
    filled.style.width = `${(100 * value) / (column.widest || 1)}%`;
    bar.append(filled);
    cell.append(bar, element("span", "percent", percent(value)));
    return cell;
  },
};

const headOf = (columns) => {
  const row = element("tr");
  for (const column of columns) {
    const cell = element("th", column.kind);
    cell.scope = "col";
    if (column.order) {
      const link = follows(element("a", "order", column.label));
      link.href = column.order;
      if (column.sorted) {
        cell.setAttribute("aria-sort", column.sorted);
        const arrow = element("span", "arrow", column.sorted === "ascending" ? " ↑" : " ↓");
        arrow.setAttribute("aria-hidden", "true");
        link.append(arrow);
      }
      cell.append(link);
    } else cell.append(drawn(column.label));
    if (column.help) {
      cell.classList.add("has-help");
      cell.title = column.help;
      cell.append(element("span", "help", column.help));
    }
    row.append(cell);
  }
  const head = element("thead");
  head.append(row);
  return head;
};

const rowOf = (data, values, index) => {
  const row = element("tr");
  data.columns.forEach((column, place) => {
    const cell = element(place ? "td" : "th", column.kind);
    const shown = cells[column.kind](values[place], column, index);
    cell.dataset.label = column.label;
    cell.classList.toggle("none", values[place] === null || values[place] === "");
    if (!place) cell.scope = "row";
    const href = place ? column.hrefs[index] : data.hrefs?.[index];
    if (href) {
      const link = follows(element("a"));
      link.href = href;
      link.append(shown);
      cell.append(link);
    } else cell.append(shown);
    row.append(cell);
  });
  if (data.hrefs) row.onclick = () => {
    if (!getSelection().toString()) row.querySelector("a").click();
  };
  return row;
};

// Rows that stand deeper than the one before them are folded under it; which are open stays while the page is looked at.
const fold = (rows, depths, opened) => {
  const below = (index) => {
    let end = index + 1;
    while (end < depths.length && depths[end] > depths[index]) end++;
    return end;
  };
  const show = () => {
    for (let index = 0, hidden = 0; index < rows.length; index++) {
      rows[index].hidden = index < hidden;
      if (index >= hidden && below(index) > index + 1 && !opened.has(rows[index].dataset.name)) hidden = below(index);
    }
  };
  rows.forEach((row, index) => {
    const count = below(index) - index - 1;
    if (!count) return;
    const name = `${index} ${row.cells[0].textContent}`;
    row.dataset.name = name;
    const button = element("button", "fold", `${count}`);
    button.type = "button";
    const tell = () => {
      button.setAttribute("aria-expanded", String(opened.has(name)));
      button.setAttribute("aria-label", `${opened.has(name) ? "Hide" : "Show"} ${count === 1 ? "the row" : `the ${count} rows`} below it`);
    };
    button.onclick = (event) => {
      event.stopPropagation();
      if (!opened.delete(name)) opened.add(name);
      tell();
      show();
    };
    tell();
    row.cells[0].prepend(button);
  });
  show();
};

export default function ({ data: [data], parentElement }) {
  const frame = parentElement.querySelector(".frame");
  const table = element("table");
  table.setAttribute("aria-label", data.label);
  const body = element("tbody");
  const rows = data.rows.map((values, index) => rowOf(data, values, index));
  body.append(...rows);
  if (data.depths.length) fold(rows, data.depths, (frame.opened ??= new Set()));
  table.append(headOf(data.columns), body);
  if (!data.hrefs) frame.tabIndex = 0; // nothing in it takes the focus, and a part of it may have to be scrolled to
  frame.style.maxHeight = data.seen ? `${29 * (data.seen + 1) + 2}px` : "";
  frame.replaceChildren(table);
  if (data.reveal && frame.dataset.revealed !== data.reveal) frame.scrollIntoView({ block: "nearest" });
  frame.dataset.revealed = data.reveal;
}
