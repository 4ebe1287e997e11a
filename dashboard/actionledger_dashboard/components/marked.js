// A response with its blocks marked, and the cards of what came of them.

// What explains itself does so to who points at it, who steps to it by keyboard, and who hears it.
const explained = (made, why, whys) => {
  const text = element("span", "", why);
  text.id = `why-${whys.childElementCount}`;
  whys.append(text);
  made.tabIndex = 0;
  made.setAttribute("aria-describedby", text.id);
  return made;
};

// Offsets are code points, as Python counts them; JavaScript's own count UTF-16 units.
const drawText = (pane, data, whys) => {
  const points = Array.from(data.text);
  let next = 0;
  const put = (into, start, end) => {
    let at = start;
    while (next < data.tokens.length && data.tokens[next].at < end) {
      const found = data.tokens[next];
      const stop = Math.min(found.end, end);
      into.append(points.slice(at, Math.max(at, found.at)).join(""));
      into.append(token({ ...found, text: points.slice(Math.max(at, found.at), stop).join("") }));
      at = stop;
      if (found.end > end) break;
      next += 1;
    }
    into.append(points.slice(at, end).join(""));
  };
  let at = 0;
  pane.dataset.empty = data.whenEmpty;
  for (const span of data.marks) {
    put(pane, at, span.start);
    const mark = explained(element("mark", span.look), span.why, whys);
    mark.dataset.block = span.block;
    at = span.start;
    for (const spot of span.spots) {
      put(mark, at, spot.start);
      const place = explained(element("span", `spot ${spot.look}`), spot.why, whys);
      put(place, spot.start, spot.end);
      mark.append(place);
      at = spot.end;
    }
    put(mark, at, span.end);
    pane.append(mark);
    at = span.end;
  }
  put(pane, at, points.length);
};

const drawCard = (card) => {
  const box = element("div", "card");
  if (card.block !== null) {
    box.dataset.block = card.block;
    box.tabIndex = 0;
  }
  const head = element("div", "head");
  head.append(element("b", "", card.name), element("span", `chip ${card.look}`, card.status), element("span", "where", card.where));
  box.append(head);
  for (const line of card.lines) box.append(element("div", "line", line));
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

// The explanation of what is pointed at or stepped to, below it; Escape takes it away.
const explain = (root, whys) => {
  const shown = root.querySelector(".why");
  const hide = () => (shown.hidden = true);
  const show = (event) => {
    const made = event.target.closest("[aria-describedby]");
    if (!made) return hide();
    const why = whys.querySelector(`#${made.getAttribute("aria-describedby")}`);
    shown.replaceChildren(...[...why.childNodes].map((node) => node.cloneNode(true)));
    shown.hidden = false;
    const frame = root.getBoundingClientRect();
    const place = made.getClientRects()[0] ?? made.getBoundingClientRect();
    const left = Math.min(place.left - frame.left, frame.width - shown.offsetWidth - 12);
    const below = place.bottom - frame.top + 4;
    const above = place.top - frame.top - shown.offsetHeight - 4;
    shown.style.left = `${Math.max(8, left)}px`;
    shown.style.top = `${Math.max(8, below + shown.offsetHeight < frame.height ? below : above)}px`;
  };
  const until = new AbortController();
  const on = (kinds, react) => kinds.forEach((kind) => root.addEventListener(kind, react, { signal: until.signal }));
  on(["mouseover", "focusin"], show);
  on(["mouseleave", "focusout", "wheel"], hide);
  on(["keydown"], (event) => event.key === "Escape" && hide());
  return () => until.abort();
};

// A block and its cards light up together; a click on one brings the other into view, Enter goes there.
const tie = (text, lanes) => {
  const all = [...text.querySelectorAll("[data-block]"), ...lanes.querySelectorAll("[data-block]")];
  const light = (block, on) => all.forEach((one) => one.dataset.block === block && one.classList.toggle("lit", on));
  for (const one of all) {
    one.onmouseenter = () => light(one.dataset.block, true);
    one.onmouseleave = () => light(one.dataset.block, false);
    const other = () => {
      const pane = text.contains(one) ? lanes : text;
      const found = [...pane.querySelectorAll("[data-block]")].find((each) => each.dataset.block === one.dataset.block);
      if (found) found.scrollIntoView({ block: "nearest" });
      return found;
    };
    one.onclick = other;
    one.onkeydown = (event) => {
      if (event.key === "Enter") other()?.focus();
    };
    one.onfocus = () => light(one.dataset.block, true);
    one.onblur = () => light(one.dataset.block, false);
  }
};
