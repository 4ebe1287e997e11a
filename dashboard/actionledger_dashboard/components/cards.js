// The cards of what came of a response, lane by lane.

const changedLine = (sign, parts) => {
  const line = element("div", `change ${sign === "+" ? "came" : "went"}`);
  line.append(element("span", "sign", sign));
  const text = element("span", "");
  for (const part of parts) text.append(part.changed ? element(sign === "+" ? "ins" : "del", "", part.text) : drawn(part.text));
  line.append(text);
  return line;
};

const fieldTable = (fields) => {
  const table = element("table", "fields");
  table.setAttribute("aria-label", "fields");
  for (const field of fields) {
    const row = element("tr");
    const path = element("th", "code", field.path);
    path.scope = "row";
    const said = element("td", "", field.said);
    for (const [label, value] of [["expected", field.expected ?? ""], ["read as", field.read ?? ""], ["written", field.value]]) {
      if (!value.length) continue;
      const part = element("div", "");
      part.append(element("span", "label", label), element("span", "code", value));
      said.append(part);
    }
    row.append(path, said);
    table.append(row);
  }
  return table;
};

const folded = (title, parts) => {
  const box = element("details");
  box.append(element("summary", "", title), ...parts);
  return box;
};

const stateOf = (name, state) =>
  folded(
    `${name}: ${state.said}`,
    state.paths.map((path) => element("div", "path", path)),
  );

const changeOf = (change) => {
  const box = element("details", "file");
  const title = element("summary", "", change.path);
  title.append(` ${change.kind}`);
  const lines = change.lines.map((line) => element("div", `diff ${line.sign}`, line.text));
  box.append(title, ...lines);
  box.open = change.lines.length > 0 && change.lines.length <= 40;
  return box;
};

// A session that a call has started: opened in its place, where there is a place to open it in.
const startedOf = (child) => {
  const box = element("div", "started");
  box.append(element("span", "label", "started"), element("b", "", child.name), element("span", "label", `${child.turns} ${child.turns === 1 ? "turn" : "turns"}`));
  if (child.failed) box.append(element("span", "chip bad", `${child.failed} failed`));
  if (child.opened) {
    const inside = follows(element("a", "", "open here"));
    inside.href = child.opened;
    box.append(inside);
  }
  box.append(element("span", "label", `(${child.sign})`));
  return box;
};

const drawCard = (card) => {
  const box = element("div", "card");
  if (card.block !== null) box.dataset.block = card.block;
  if (card.call !== null) box.dataset.call = card.call;
  if (card.block !== null || card.call !== null) box.tabIndex = 0;
  const head = element("div", "head");
  head.append(element("b", "", card.name), element("span", `chip ${card.look}`, card.status), element("span", "where", card.where));
  box.append(head);
  for (const line of card.lines) box.append(element("div", "line", line));
  box.append(...(card.started ?? []).map(startedOf));
  if (card.difference) box.append(changedLine("-", card.difference.before), changedLine("+", card.difference.after));
  if (card.fields?.length) box.append(fieldTable(card.fields));
  if (card.before) box.append(stateOf("Before", card.before));
  if (card.changes) box.append(...card.changes.map(changeOf));
  if (card.after) box.append(stateOf("After", card.after));
  if (card.value.length) {
    const value = element("pre", "value", card.value);
    value.tabIndex = 0;
    box.append(value);
  }
  return box;
};

const drawLanes = (pane, lanes) => {
  for (const lane of lanes) {
    pane.append(element("h4", "", lane.title));
    if (!lane.cards.length) pane.append(element("div", "none", lane.whenEmpty));
    pane.append(...lane.cards.map(drawCard));
  }
};

// A text under its title, exactly.
const drawPassages = (pane, passages) => {
  for (const { title, text, absent, folded: isFolded } of passages) {
    const box = element(isFolded ? "details" : "section", "passage");
    const shown = element("pre", text === null || !text.length ? "absent" : "", text === null ? absent : text.length ? text : "(nothing)");
    box.append(element(isFolded ? "summary" : "h4", "", title), shown);
    pane.append(box);
  }
};
