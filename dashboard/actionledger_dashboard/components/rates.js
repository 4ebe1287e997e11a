// A row for each group: its share as a dot-and-whisker, then how much of it was read in which dialect, a column each, then what it took.

const anchor = (kind, href, ...inside) => {
  const link = href ? follows(element("a", kind)) : element("span", kind);
  if (href) link.href = href;
  link.append(...inside);
  return link;
};

const headOf = (data) => {
  const row = element("tr");
  const head = (kind, text) => {
    const cell = element("th", kind, text);
    cell.scope = "col";
    cell.title = cell.textContent;
    row.append(cell);
    return cell;
  };
  head("name", data.by);
  const scale = element("span", "ends");
  scale.append(element("span", "", `${data.begin ? "cut: " : ""}${Math.round(100 * data.begin)}%`), element("span", "", "100%"));
  head("rate", "").append(scale);
  head("", "parsed, of n");
  for (const name of data.dialects) head("part", name);
  for (const name of data.took) head("number", name);
  const made = element("thead");
  made.append(row);
  return made;
};

const multiple = (part, name) => {
  const cell = element("td", part ? "part" : "part none");
  cell.append(element("span", "only-narrow", name));
  if (!part) return cell;
  const track = element("span", "track");
  const filled = element("i");
  filled.style.width = `${100 * part.share}%`;
  track.append(filled);
  const link = anchor("multiple", part.href, track, element("span", "", part.shown));
  link.setAttribute("aria-label", part.label);
  link.title = part.label;
  cell.append(link);
  return cell;
};

const rowOf = (data, group) => {
  const row = element("tr");
  const name = element("th", "name");
  name.scope = "row";
  name.append(anchor("", group.href, drawn(group.label)));
  const rate = element("td", "rate");
  if (group.rate.value !== null) rate.append(whisker(group.rate, data.begin));
  const text = element("td");
  text.append(element("span", "", group.text), element("span", "quiet", group.kept));
  row.append(name, rate, text, ...group.parts.map((part, place) => multiple(part, data.dialects[place])));
  group.took.forEach((said, place) => {
    const cell = element("td", "number");
    cell.append(element("span", "only-narrow", data.took[place]), element("span", "", said));
    row.append(cell);
  });
  return row;
};

export default function ({ data: [data], parentElement }) {
  const table = element("table");
  table.setAttribute("aria-label", data.label);
  const body = element("tbody");
  body.append(...data.groups.map((group) => rowOf(data, group)));
  table.append(headOf(data), body);
  const frame = parentElement.querySelector(".frame");
  frame.tabIndex = 0;
  frame.setAttribute("role", "region");
  frame.setAttribute("aria-label", data.label);
  frame.replaceChildren(table);
}
