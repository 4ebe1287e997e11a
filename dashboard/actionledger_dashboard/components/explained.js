// What is pointed at, stepped to or tapped says why; and what belongs together lights up together.

// The explanation of what is pointed at or stepped to, below it; Escape takes it away.
const explain = (root, whys) => {
  const shown = root.querySelector(".why");
  const hide = () => (shown.hidden = true);
  const show = (event) => {
    const made = event.target.closest("[aria-describedby]");
    const why = made && whys.querySelector(`#${made.getAttribute("aria-describedby")}`);
    if (!why) return hide();
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

// A block and its cards light up together; a press on one brings the others into view, Enter goes there.
const tie = (script, ...panes) => {
  const all = [script, ...panes].flatMap((pane) => [...pane.querySelectorAll("[data-block], [data-call]")]);
  const isTied = (one, other) =>
    one.dataset.call !== undefined && other.dataset.call !== undefined
      ? one.dataset.call === other.dataset.call
      : one.dataset.block !== undefined && one.dataset.block === other.dataset.block;
  const light = (one, on) => all.forEach((other) => isTied(one, other) && other.classList.toggle("lit", on));
  for (const one of all) {
    const others = () => {
      const found = [script, ...panes].map((pane) => [pane, pane.contains(one) ? null : all.find((other) => pane.contains(other) && isTied(one, other))]);
      found.forEach(([pane, part]) => bring(pane, part));
      return found.find(([, part]) => part?.tabIndex === 0)?.[1];
    };
    one.onmouseenter = () => light(one, true);
    one.onmouseleave = () => light(one, false);
    one.onclick = (event) => event.target.closest("a, summary, button") || others();
    one.onkeydown = (event) => {
      if (event.key === "Enter" && event.target === one) others()?.focus({ preventScroll: true });
    };
    one.onfocus = () => light(one, true);
    one.onblur = () => light(one, false);
  }
};
