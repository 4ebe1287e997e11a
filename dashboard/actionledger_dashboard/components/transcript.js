// One turn: the list of turns, the text with its blocks marked, and what came of each.

const drawList = (pane, data, go) => {
  if (data.before) pane.append(element("div", "more", `${data.before} before`));
  for (const turn of data.turns) {
    const row = element("button", turn.index === data.index ? "here" : "");
    row.title = turn.title;
    row.dataset.turn = turn.index;
    if (turn.index === data.index) row.setAttribute("aria-current", "true");
    row.append(element("span", "number", turn.index), element("span", `chip ${turn.look}`, turn.outcome));
    row.onclick = () => go(turn.index);
    pane.append(row);
  }
  if (data.after) pane.append(element("div", "more", `${data.after} after`));
};

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".turn");
  const pane = (name) => {
    const found = root.querySelector(name);
    found.replaceChildren();
    return found;
  };
  let wanted = data.index;
  const go = (index) => {
    if (index === undefined || index < 0 || index > data.last || index === wanted) return;
    wanted = index;
    root.querySelector(".place").textContent = `turn ${index} …`;
    setTriggerValue("go", index);
  };
  const steps = {
    next: () => go(wanted + 1),
    previous: () => go(wanted - 1),
    first: () => go(0),
    last: () => go(data.last),
    nextError: () => go(data.errors.find((index) => index > wanted)),
    previousError: () => go(data.errors.findLast((index) => index < wanted)),
  };
  const keys = {
    ArrowRight: steps.next, j: steps.next, ArrowLeft: steps.previous, k: steps.previous,
    Home: steps.first, End: steps.last, e: steps.nextError, E: steps.previousError,
  };

  const text = pane(".text");
  const whys = pane(".whys");
  const lanes = pane(".lanes");
  const list = pane(".list");
  drawText(text, data, whys);
  drawLanes(lanes, data.lanes);
  drawList(list, data, go);
  tie(text, lanes);
  const stopExplaining = explain(root, whys);
  root.dataset.turn = data.index;
  root.querySelector(".place").textContent = `turn ${data.index} / ${data.last}`;
  root.querySelector(".verdict").textContent = data.verdict;
  root.querySelector(".about").replaceChildren(drawn(data.about));
  for (const [name, step] of Object.entries(steps)) {
    const button = root.querySelector(`[data-step=${name}]`);
    if (button) button.onclick = step;
  }
  const here = list.querySelector(".here");
  if (here) list.scrollTop = here.offsetTop - list.offsetTop - list.clientHeight / 2;
  root.querySelector(".why").hidden = true;
  const first = text.querySelector(".spot.wrong") || text.querySelector("mark");
  text.scrollTop = first ? Math.max(0, first.offsetTop - text.offsetTop - text.clientHeight / 3) : 0;

  const onKey = (event) => {
    if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  };
  document.addEventListener("keydown", onKey);
  return () => {
    document.removeEventListener("keydown", onKey);
    stopExplaining();
  };
}
