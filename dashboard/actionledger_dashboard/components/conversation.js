// A session as a conversation. All that anybody wrote goes in as text nodes; of Markdown there are a few known elements and nothing else.

const TAGS = new Set("p ul ol li blockquote strong em s table thead tbody tr th td hr br pre code h4".split(" "));
const grown = (nodes, into) => {
  for (const node of nodes) {
    if (node.text !== undefined) into.append(drawn(node.text));
    else if (TAGS.has(node.tag)) into.append(grown(node.children, element(node.tag)));
  }
  return into;
};

const told = (part, kind, who) => {
  const made = element("div", part.is_long ? `${kind} long` : kind);
  if (who) made.append(element("b", "", who));
  made.append(grown(part.tree, element("div", "tree")), element("pre", "raw", part.raw));
  return made;
};

const folded = (summary, content, isOpen) => {
  const made = element("details");
  made.open = isOpen;
  made.append(element("summary", "", summary), content);
  return made;
};

const SIGNS = { "+": "plus", "-": "minus", "@": "at", "*": "at" };
const bodies = {
  diff: (body) => {
    const made = element("div", "diff");
    made.tabIndex = 0;
    made.setAttribute("role", "region");
    made.setAttribute("aria-label", "changed lines");
    made.append(...body.lines.map(([sign, text]) => element("div", SIGNS[sign] ?? "", text)));
    return made;
  },
  command: (body) => element("pre", "command", body.text),
  path: (body) => element("div", "title", body.text),
  json: (body) => element("pre", "", body.text),
  list: (body) => {
    const made = element("ul");
    for (const [state, text] of body.items) {
      const item = element("li");
      if (state.length) item.append(element("i", "", state), " ");
      item.append(drawn(text));
      made.append(item);
    }
    return made;
  },
};

const kinds = {
  user: (part) => told(part, "user", "User"),
  answer: (part) => told(part, "answer", ""),
  thought: (part) => folded("Thoughts", element("pre", "", part.text), false),
  note: (part) => element("div", `note ${part.look ?? ""}`, part.text),
  line: (part) => element("div", "line", part.text),
  child: (part) => {
    const made = element("div", "note", "Subagent: ");
    const link = follows(element("a", "", part.text));
    link.href = part.href;
    made.append(link);
    return made;
  },
  call: (part) => {
    const made = element("section", "call");
    made.dataset.look = part.look;
    const head = element("header");
    head.append(element("code", "", part.name), element("span", `chip ${part.look}`, part.status), element("span", "about", part.about.join(" · ")));
    made.append(head);
    if (part.body.title?.length) made.append(element("div", "title", part.body.title));
    if (part.body.text !== "") made.append(bodies[part.body.kind](part.body));
    if (part.result) {
      const lines = part.result.lines === 1 ? "1 line" : `${part.result.lines.toLocaleString("en-US")} lines`;
      const more = part.result.more ? `, ${part.result.more.toLocaleString("en-US")} of them not shown` : "";
      const result = folded(`Result: ${lines}${more}`, element("pre", "", part.result.text), part.look === "bad" || part.result.lines <= 12);
      result.classList.add("result");
      made.append(result);
    }
    return made;
  },
};

const turnOf = (turn, href) => {
  const made = element("article", turn.failing ? "turn failing" : "turn");
  made.id = `turn-${turn.index}`;
  made.dataset.turn = turn.index;
  made.setAttribute("aria-label", `turn ${turn.index}`);
  const parts = element("div", "parts");
  parts.append(...turn.parts.map((part) => kinds[part.kind](part)));
  const margin = element("div", "margin");
  const step = follows(element("a", "", `turn ${turn.index}`));
  step.href = turn.href;
  step.title = "Step through this turn";
  const copy = element("button", "copy", "copy link");
  copy.type = "button";
  copy.setAttribute("aria-label", `copy the link to turn ${turn.index}`);
  copy.onclick = async () => {
    const done = await copied(new URL(`${href}&turn=${turn.index}`, location.href).href);
    copy.replaceChildren(done ? "copied" : "not copied");
  };
  margin.append(step, copy, ...turn.about.map((line) => element("span", "", line)));
  made.append(parts, margin);
  return made;
};

// The whole session as a strip: where it failed, and which part is shown. A press goes to the failure that is nearest. Keys and buttons do the same.
const minimap = ({ first, last, shown, failures }, to) => {
  const map = element("div", "minimap");
  map.setAttribute("aria-hidden", "true");
  map.title = "Where turns failed; a press goes to the nearest";
  const at = (place) => (100 * (place - first)) / (last - first + 1);
  const part = element("i", "part");
  part.style.left = `${at(shown[0])}%`;
  part.style.width = `${at(shown[1] + 1) - at(shown[0])}%`;
  map.append(part);
  for (const place of failures) {
    const mark = element("i", "mark");
    mark.style.left = `${at(place + 0.5)}%`;
    map.append(mark);
  }
  map.onclick = ({ clientX }) => {
    const box = map.getBoundingClientRect();
    const pressed = first + ((clientX - box.left) / box.width) * (last - first + 1);
    to(failures.reduce((best, place) => (Math.abs(place + 0.5 - pressed) < Math.abs(best + 0.5 - pressed) ? place : best)));
  };
  return map;
};

// Marks a searched text wherever a turn has it, and opens what is folded around it.
const marked = (turn, text) => {
  const walker = document.createTreeWalker(turn.querySelector(".parts"), NodeFilter.SHOW_TEXT);
  const nodes = [];
  while (walker.nextNode()) nodes.push(walker.currentNode);
  const pattern = new RegExp(`(${text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")})`, "iu");
  for (const node of nodes) {
    const parts = node.data.split(pattern);
    if (parts.length === 1) continue;
    for (let above = node.parentElement.closest("details"); above; above = above.parentElement.closest("details")) above.open = true;
    node.replaceWith(...parts.map((part, place) => (place % 2 ? element("mark", "", part) : part)));
  }
};

export default function ({ data: [data], parentElement }) {
  const pane = parentElement.querySelector(".conversation");
  const turns = data.turns.map((turn) => turnOf(turn, data.href));
  const find = data.find ? `&find=${encodeURIComponent(data.find)}` : "";
  if (find) for (const turn of turns) marked(turn, data.find);
  const to = (place, isStep) => {
    const there = turns.find((turn) => Number(turn.dataset.turn) === place);
    if (!there) return isStep && go(`${data.href}&turn=${place}${find}`);
    for (const turn of turns) turn.classList.toggle("here", turn === there);
    there.scrollIntoView({ block: "start", behavior: "instant" });
    const hit = [...there.querySelectorAll("mark")].find((mark) => mark.offsetParent);
    const isBelow = hit && hit.getBoundingClientRect().bottom > innerHeight;
    if (hit) hit.scrollIntoView({ block: isBelow ? "center" : "nearest", behavior: "instant" });
    data.turn = place;
  };
  // Where the reader is: the turn that a jump led to while it is in sight, else the first one below the tools.
  const reading = () => {
    const top = tools.getBoundingClientRect().bottom;
    const isSeen = (turn) => turn.getBoundingClientRect().bottom > top && turn.getBoundingClientRect().top < innerHeight;
    const jumped = turns.find((turn) => Number(turn.dataset.turn) === data.turn);
    const seen = jumped && isSeen(jumped) ? jumped : turns.find(isSeen);
    return seen ? Number(seen.dataset.turn) : (data.turn ?? data.turns[0]?.index ?? 0);
  };
  const next = (places, way) => {
    const here = reading();
    const found = way > 0 ? places.find((place) => place > here) : places.findLast((place) => place < here);
    if (found !== undefined) to(found, true);
  };
  const raw = element("button", "", "Raw text");
  raw.type = "button";
  raw.setAttribute("aria-pressed", pane.classList.contains("is-raw"));
  raw.onclick = () => raw.setAttribute("aria-pressed", pane.classList.toggle("is-raw"));
  const tools = element("div", "tools");
  tools.append(raw);
  const moves = {
    p: ["◂ prompt", "previous prompt", data.prompts, -1],
    n: ["prompt ▸", "next prompt", data.prompts, 1],
    E: ["◂ failure", "previous failure", data.failures, -1],
    e: ["failure ▸", "next failure", data.failures, 1],
    F: ["◂ hit", "previous hit", data.found, -1],
    f: ["hit ▸", "next hit", data.found, 1],
  };
  for (const [key, [text, label, places, way]] of Object.entries(moves)) {
    if (!places.length) continue;
    const move = element("button", "", text);
    move.type = "button";
    move.setAttribute("aria-label", label);
    move.onclick = () => next(places, way);
    move.append(element("kbd", "", key));
    tools.append(move);
  }
  if (data.failures.length) tools.append(element("span", "", `${data.failures.length} failed`), minimap(data, (place) => to(place, true)));
  pane.replaceChildren(tools, ...turns);
  for (const text of pane.querySelectorAll("pre")) text.tabIndex = 0; // a part of it may have to be scrolled to
  if (data.turn !== null && pane.dataset.shown !== `${data.href} ${data.turn}`) to(data.turn, false);
  pane.dataset.shown = `${data.href} ${data.turn}`;
  const press = (event) => {
    if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "s") {
      const here = data.turns.find((turn) => turn.index === reading()) ?? data.turns[0];
      event.preventDefault();
      return go(here.href);
    }
    if (!(event.key in moves)) return;
    event.preventDefault();
    next(...moves[event.key].slice(2));
  };
  addEventListener("keydown", press);
  return instead(parentElement, () => removeEventListener("keydown", press));
}
