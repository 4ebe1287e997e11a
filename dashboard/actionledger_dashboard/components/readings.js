// Two readings of one turn beside each other, and what differs between them field by field.

const ARROWS = { ArrowLeft: "←", ArrowRight: "→" };

const drawSide = (side, whys) => {
  const box = element("section", "side");
  const title = element("div", "title");
  title.append(element("h3", "", side.title), element("span", `chip ${side.look}`, side.verdict), element("span", "about", side.about));
  const region = (made, name) => {
    made.tabIndex = 0;
    made.setAttribute("role", "region");
    made.setAttribute("aria-label", name);
    return made;
  };
  const text = region(element("div", "script"), `the response, ${side.ordinal}`);
  drawScript(text, side, whys);
  const lanes = region(element("div", "lanes cards"), `what was read of it, ${side.ordinal}`);
  drawLanes(lanes, side.lanes);
  tie(text, lanes);
  box.append(title, text, lanes);
  return box;
};

const drawDifferences = (pane, data) => {
  pane.hidden = !data.said;
  pane.append(element("h3", "", data.said));
  if (!data.differences.length) return;
  const table = element("table");
  const head = element("tr");
  for (const label of ["Action", "Name", "Field", data.sides[0].title, data.sides[1].title]) {
    const cell = element("th", "", label);
    cell.scope = "col";
    head.append(cell);
  }
  const body = element("tbody");
  for (const each of data.differences) {
    const row = element("tr");
    const kind = element("td");
    if (each.kind) kind.append(element("span", `chip ${each.look}`, each.kind));
    row.append(kind, element("td", "", each.name), element("td", "field", each.field), element("td", "value", each.before), element("td", "value", each.after));
    body.append(row);
  }
  const top = element("thead");
  top.append(head);
  table.append(top, body);
  pane.append(table);
};

const drawSteps = (bar, data) => {
  bar.append(element("span", "where", data.place));
  for (const step of data.steps) {
    const link = element("a", "", step.text);
    link.title = step.title;
    if (step.href) {
      link.href = step.href;
      follows(link);
    } else link.setAttribute("aria-disabled", "true");
    bar.append(link);
  }
  bar.append(element("span", "hint", data.hint));
};

export default function ({ data: [data], parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".readings");
  const pane = (name) => {
    const found = root.querySelector(name);
    found.replaceChildren();
    return found;
  };
  const whys = pane(".whys");
  drawSteps(pane(".bar"), data);
  root.classList.toggle("alone", data.sides.length === 1);
  pane(".sides").append(...data.sides.map((side) => drawSide(side, whys)));
  drawDifferences(pane(".differences"), data);
  root.dataset.turn = data.turn;
  const stops = [...root.querySelectorAll(".script")].map((script) => {
    showFirst(script);
    return watchBars(script);
  });
  root.querySelector(".why").hidden = true;
  if (data.selects) {
    const [text] = root.querySelectorAll(".text");
    const tell = () => {
      const found = selectedSpan(text);
      if (found) setTriggerValue("selected", found);
    };
    text.onpointerup = () => setTimeout(tell);
    text.onkeyup = (event) => event.key === "Enter" && tell();
  }
  const stopExplaining = explain(root, whys);
  const onKey = (event) => {
    if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return;
    const key = ARROWS[event.key] ?? event.key;
    const step = data.steps.find((each) => each.href && each.keys.includes(key));
    if (!step) return;
    event.preventDefault();
    go(step.href);
  };
  document.addEventListener("keydown", onKey);
  return instead(root, () => {
    document.removeEventListener("keydown", onKey);
    stops.forEach((stop) => stop());
    stopExplaining();
  });
}
