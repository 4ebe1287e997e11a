// A response as it was written: a bar beside each block, and within the text only what is faulty is tinted.

// What explains itself does so to who points at it, who steps to it by keyboard, and who hears it.
const explained = (made, why, whys) => {
  const text = element("span", "", why);
  text.id = `why-${whys.childElementCount}`;
  whys.append(text);
  made.tabIndex = 0;
  made.setAttribute("aria-describedby", text.id);
  return made;
};

const spanning = (made, { start, end }) => {
  made.dataset.start = start;
  made.dataset.end = end;
  return made;
};

// What lies over the text without being a mark: where each action stands, what is looked for, what a link points at.
const layersOf = (data) => [
  ...(data.calls ?? []).map((call) => ({ ...call, kind: "called" })),
  ...(data.found ?? []).map(([start, end]) => ({ start, end, kind: "found" })),
  ...(data.at ? [{ start: data.at[0], end: data.at[1], kind: "at" }] : []),
];

// Where layers begin and end, in order, and which of them lie over the stretch that ends there.
const cutBy = (layers) => {
  const cuts = [...new Set(layers.flatMap(({ start, end }) => [start, end]))].sort((one, other) => one - other);
  const begins = Map.groupBy(layers.filter(({ start, end }) => start < end), ({ start }) => start);
  let over = [];
  const before = cuts.map((cut) => {
    const covering = over;
    over = [...over.filter(({ end }) => end > cut), ...(begins.get(cut) ?? [])];
    return covering;
  });
  return { cuts, before };
};

// What stands for the text before or behind the part that is here: a way to it, where there is one.
const gap = (found) => {
  const made = element("a", "gap");
  made.dataset.code = found.code;
  made.dataset.span = found.gap.join("-");
  made.setAttribute("aria-label", found.name);
  return made;
};

// Offsets are code points, as Python counts them; JavaScript's own count UTF-16 units.
const drawText = (pane, data, whys) => {
  const points = Array.from(data.text);
  const first = data.from ?? 0; // of a long response a part is here; all places are those in the whole
  const part = (start, end) => points.slice(Math.max(0, start - first), Math.max(0, end - first)).join("");
  pane.dataset.from = first;
  const layers = layersOf(data);
  const { cuts, before } = cutBy(layers);
  const carets = layers.filter(({ kind, start, end }) => kind === "at" && start === end).map(({ start }) => start);
  let nextToken = 0;
  let nextCut = 0;
  const plain = (into, start, end) => {
    let at = start;
    while (nextToken < data.tokens.length && data.tokens[nextToken].at < end) {
      const found = data.tokens[nextToken];
      const stop = Math.min(found.end, end);
      into.append(part(at, Math.max(at, found.at)));
      into.append(found.gap ? gap(found) : token({ ...found, text: part(Math.max(at, found.at), stop) }));
      at = stop;
      if (found.end > end) break;
      nextToken += 1;
    }
    into.append(part(at, end));
  };
  const leaf = (into, start, end) => {
    const over = before[nextCut] ?? [];
    if (!over.length || start === end) return plain(into, start, end);
    const made = element("span", [...new Set(over.map(({ kind }) => kind))].join(" "));
    const call = over.find((layer) => layer.call !== undefined);
    if (call) spanning(made, call).dataset.call = call.call;
    plain(made, start, end);
    into.append(made);
  };
  const point = (into, at) => {
    if (carets.includes(at)) into.append(element("span", "at point"));
  };
  const put = (into, start, end) => {
    let from = start;
    while (nextCut < cuts.length && cuts[nextCut] <= end) {
      const cut = cuts[nextCut];
      if (cut > from) leaf(into, from, cut);
      from = Math.max(from, cut);
      point(into, cut);
      nextCut += 1;
    }
    leaf(into, from, end);
  };
  let at = 0;
  if (!data.text) pane.dataset.empty = data.whenEmpty;
  for (const span of data.marks) {
    put(pane, at, span.start);
    const mark = spanning(explained(element("mark", span.look + (span.faulty ? " faulty" : "")), span.why, whys), span);
    mark.dataset.block = span.block;
    at = span.start;
    for (const spot of span.spots) {
      put(mark, at, spot.start);
      const place = spanning(explained(element("span", `spot ${spot.look}`), spot.why, whys), spot);
      put(place, spot.start, spot.end);
      mark.append(place);
      at = spot.end;
    }
    put(mark, at, span.end);
    pane.append(mark);
    at = span.end;
  }
  put(pane, at, data.length ?? points.length);
};

// The bars stand beside the lines that their blocks take; blocks on the same line have theirs next to each other.
const placeBars = (box) => {
  const gutter = box.querySelector(".gutter");
  const top = gutter.getBoundingClientRect().top;
  const ends = [];
  gutter.replaceChildren(
    ...[...box.querySelectorAll("mark")].map((mark) => {
      const lines = [...mark.getClientRects()];
      const start = Math.min(...lines.map((line) => line.top)) - top;
      const end = Math.max(...lines.map((line) => line.bottom)) - top;
      let column = ends.findIndex((taken) => taken <= start);
      if (column < 0) column = ends.length < 4 ? ends.push(0) - 1 : 3;
      ends[column] = end;
      const bar = element("span", `beside chip ${mark.classList[0]}`);
      bar.setAttribute("aria-hidden", "true");
      bar.dataset.block = mark.dataset.block;
      bar.style.top = `${start}px`;
      bar.style.height = `${Math.max(14, end - start)}px`;
      bar.style.insetInlineEnd = `${column * 8}px`;
      bar.onclick = () => mark.focus();
      return bar;
    }),
  );
};

const watchBars = (box) => {
  const observer = new ResizeObserver(() => placeBars(box));
  observer.observe(box.querySelector(".text"));
  return () => observer.disconnect();
};

// A response in a box that scrolls.
const drawScript = (box, data, whys) => {
  const text = element("pre", "text");
  drawText(text, data, whys);
  box.replaceChildren(element("div", "gutter"), text);
};

// Brings a part of a box that scrolls into view, and leaves the page around it where it is.
const bring = (box, part) => {
  if (!part || box.scrollHeight <= box.clientHeight) return;
  const [outer, inner] = [box.getBoundingClientRect(), part.getBoundingClientRect()];
  if (inner.top >= outer.top && inner.bottom <= outer.bottom) return;
  box.scrollTop += inner.top - outer.top - box.clientHeight / 3;
};

const showFirst = (box) => {
  box.scrollTop = 0;
  bring(box, box.querySelector(".at") ?? box.querySelector(".found") ?? box.querySelector(".spot.wrong") ?? box.querySelector("mark.faulty") ?? box.querySelector("mark"));
};
