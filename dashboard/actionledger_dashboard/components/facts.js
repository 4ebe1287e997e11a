// What is known of a session on one line, with its family, and who has read its turn.

const drawFacts = (box, data) => {
  const list = element("dl");
  const ids = element("dl");
  for (const fact of data.facts) {
    const pair = element("div");
    const text = element("dd", "", fact.text);
    const whole = element("span", "", fact.whole).textContent;
    if (whole !== text.textContent) text.title = whole;
    pair.append(element("dt", "", fact.label), text);
    (fact.folded ? ids : list).append(pair);
  }
  const ways = (data.ways ?? []).map(({ text, href }) => {
    const way = follows(element("a", "way", text));
    way.href = href;
    return way;
  });
  const onDemand = element("details");
  onDemand.append(element("summary", "", "id"), ids);
  box.replaceChildren(list, onDemand, ...(data.readings ?? []).map(drawReadings), ...(data.family.length ? [drawFamily(data.family)] : []), ...ways);
};

// Each reading is an address of this page.
const drawReadings = ({ label, options }) => {
  const box = element("label", "readings");
  const select = element("select");
  for (const option of options) {
    const made = element("option", "", option.text);
    made.selected = option.chosen;
    select.append(made);
  }
  select.onchange = () => go(options[select.selectedIndex].href);
  box.append(element("span", "", label), select);
  return box;
};

const drawFamily = (family) => {
  const box = element("details", "family");
  const children = family.filter((one) => one.role !== "parent" && one.session);
  const parts = [...(children.length < family.length ? ["parent"] : []), ...(children.length ? [children.length === 1 ? "1 child" : `${children.length} children`] : [])];
  box.append(element("summary", "", parts.join(" and ")));
  const rows = element("ul");
  for (const one of family) {
    const row = element("li");
    row.append(element("span", "role", one.role));
    const link = element(one.href ? "a" : "b", "", one.name);
    if (one.href) follows(link).href = one.href;
    row.append(link);
    if (one.turns !== null) row.append(element("span", "count", `${one.turns} ${one.turns === 1 ? "turn" : "turns"}`));
    if (one.failed) row.append(element("span", "chip bad", `${one.failed} failed`));
    if (one.start?.length) row.append(element("span", "count", one.start));
    if (one.opened) {
      const inside = follows(element("a", "", "open here"));
      inside.href = one.opened;
      row.append(inside);
    }
    rows.append(row);
  }
  box.append(rows);
  return box;
};
