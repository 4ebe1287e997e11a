// One turn of a session in lanes, and the ways on from it. It needs no server for the turns that it was sent.

const PATIENCE = 20_000; // ms for which a turn that was stepped to ahead of the server stays without an answer to that step
const NOTICED = 1500; // ms for which a button says what it did
const memories = new WeakMap();

const drawTurn = (root, turn) => {
  const pane = (name) => {
    const found = root.querySelector(name);
    found.replaceChildren();
    found.scrollTop = 0;
    return found;
  };
  const whys = pane(".whys");
  const script = pane(".script");
  const [read, done, shown, told] = [".read", ".done", ".shown", ".told"].map(pane);
  drawScript(script, turn, whys);
  drawLanes(read, [turn.attempts, ...turn.lanes]);
  drawLanes(done, turn.done);
  drawPassages(shown, turn.shown);
  drawPassages(told, turn.told);
  tie(script, read, done);
  root.querySelector(".why").hidden = true;
  const verdict = root.querySelector(".verdict");
  verdict.className = `verdict chip ${turn.look}`;
  verdict.textContent = turn.verdict;
  const about = root.querySelector(".about");
  about.replaceChildren(drawn(turn.about));
  about.title = about.textContent;
  showFirst(script);
};

const drawList = (pane, data, at, go) => {
  if (pane.hidden) return;
  const more = (count, words) => (count ? [element("div", "more", `${count.toLocaleString("en-US")} ${words}`)] : []);
  const rows = data.turns.map((turn) => {
    const row = element("button", turn.index === at ? "here" : "");
    row.title = turn.title;
    row.dataset.turn = turn.index;
    if (turn.index === at) row.setAttribute("aria-current", "true");
    row.append(element("span", "number", turn.index), element("span", `chip ${turn.look}`, turn.outcome));
    row.onclick = () => go(turn.index);
    return row;
  });
  pane.replaceChildren(...more(data.before.turns, "before"), ...rows, ...more(data.after.turns, "after"));
  bring(pane, pane.querySelector(".here"));
};

// Steps from action to action, in the text and in every lane at once; where nothing was read, from mark to mark.
const actionsOf = (root) => {
  const read = new Set([...root.querySelectorAll(".read [data-call]")].map((card) => card.dataset.call));
  const parts = Map.groupBy(root.querySelectorAll("[data-call]"), (part) => part.dataset.call);
  const found = [...read].map((call) => parts.get(call));
  return found.length ? found : [...root.querySelectorAll(".script mark")].map((mark) => [mark]);
};

const pickAction = (root, memory, by) => {
  const all = actionsOf(root);
  if (!all.length) return;
  root.querySelectorAll(".picked").forEach((part) => part.classList.remove("picked"));
  memory.picked = memory.picked === null ? (by > 0 ? 0 : all.length - 1) : Math.min(Math.max(memory.picked + by, 0), all.length - 1);
  for (const part of all[memory.picked]) {
    part.classList.add("picked");
    bring(part.closest(".script, .read, .done"), part);
  }
  root.querySelector(".said").textContent = `action ${memory.picked + 1} of ${all.length}: ${all[memory.picked].at(-1).textContent.slice(0, 80)}`;
};

// What a link points at: what is selected, stepped to or picked in the response, else the turn alone.
const pointedAt = (root, turn) => {
  const text = root.querySelector(".text");
  const focused = root.getRootNode().activeElement;
  const part = root.contains(focused) && focused?.dataset.start !== undefined ? focused : root.querySelector(".script .picked");
  return selectedSpan(text) ?? (part ? [Number(part.dataset.start), Number(part.dataset.end)] : turn.at ?? null);
};

// As high as what is left of the window below it.
const fill = (root) => {
  const scrolled = root.closest?.("[data-testid=stMain]")?.scrollTop ?? document.querySelector("[data-testid=stMain]")?.scrollTop ?? scrollY;
  const top = root.getBoundingClientRect().top + scrolled;
  root.style.setProperty("--room", `${Math.max(440, innerHeight - Math.min(top, innerHeight / 2) - 20)}px`);
};

const view = (root, data, host) => {
  const isNew = !memories.has(root);
  const memory = memories.get(root) ?? { drawn: "", step: 0, wanted: data.index, since: 0, picked: null };
  memories.set(root, memory);
  const turnAt = (index) => (index === data.index ? { ...data.turn, at: data.at } : data.near[index]);
  // Answers come late and one for each step: the turn alone does not tell whether it is the last step's, since one steps back, too.
  const isAhead = (data.step ?? 0) < memory.step && Date.now() - memory.since < PATIENCE;
  let at = isAhead ? memory.wanted : data.index;
  memory.step = Math.max(memory.step, data.step ?? 0);

  const draw = () => {
    const turn = turnAt(at);
    if (turn) {
      const key = JSON.stringify(turn);
      if (key !== memory.drawn) {
        const hadFocus = root.contains(root.getRootNode().activeElement) && !root.querySelector(".bar").contains(root.getRootNode().activeElement);
        drawTurn(root, turn);
        for (const gap of host.link ? root.querySelectorAll(".gap") : []) follows(gap).href = host.link(at, gap.dataset.span.split("-"));
        Object.assign(memory, { drawn: key, picked: null });
        if (hadFocus) root.focus({ preventScroll: true });
      }
      root.dataset.turn = at;
      root.querySelector(".said").textContent = `turn ${at}, ${turn.verdict}`;
    }
    const jump = root.querySelector(".jump");
    if (root.getRootNode().activeElement !== jump || memory.at !== at) jump.value = at; // else somebody is writing there
    memory.at = at;
    jump.max = data.last;
    root.querySelector(".of").textContent = `/ ${data.last.toLocaleString("en-US")}${turn ? "" : " …"}`;
    drawMap(root.querySelector(".map"), data, at, go);
    drawList(root.querySelector(".list"), data, at, go);
    const ways = waysFrom(data, at);
    root.querySelectorAll("[data-step]").forEach((button) => (button.disabled = ways[button.dataset.step] === undefined));
  };
  const go = (index) => {
    if (index === undefined || index === at || !(index >= 0)) return;
    Object.assign(memory, { step: memory.step + 1, wanted: index, since: Date.now() });
    at = index;
    draw();
    host.go(index, memory.step);
  };
  const stops = [listen(root, data, host, memory, { go, draw, where: () => at, turn: () => turnAt(at) ?? data.turn })];
  draw();
  stops.push(watchBars(root.querySelector(".script")), explain(root, root.querySelector(".whys")));
  fill(root);
  if (isNew && data.inner) {
    root.scrollIntoView({ block: "nearest" });
    root.focus({ preventScroll: true });
  }
  const onResize = () => fill(root);
  addEventListener("resize", onResize);
  stops.push(() => removeEventListener("resize", onResize));
  return () => stops.forEach((stop) => stop());
};

const listen = (root, data, host, memory, { go, draw, where, turn }) => {
  const help = root.querySelector(".help");
  const find = root.querySelector(".find");
  const list = root.querySelector(".list");
  const said = root.querySelector(".hits");
  const copy = async () => {
    const done = await copied(host.link(where(), pointedAt(root, turn())));
    const button = root.querySelector("[data-do=copy]");
    button.textContent = done ? "copied ✓" : "can't copy here";
    root.querySelector(".said").textContent = done ? "The link is copied." : "The link could not be copied.";
    setTimeout(() => (button.textContent = "copy link"), NOTICED);
  };
  const showHelp = () => (help.open ? help.close() : help.show());
  help.querySelector("tbody").replaceChildren(
    ...HELP.map(([keys, what]) => {
      const row = element("tr");
      row.append(element("th", "", keys), element("td", "", what));
      return row;
    }),
  );
  const does = {
    copy, help: showHelp,
    list: () => {
      list.hidden = !list.hidden;
      root.querySelector("[data-do=list]").setAttribute("aria-expanded", String(!list.hidden));
      draw();
    },
  };
  root.querySelectorAll("[data-do]").forEach((button) => (button.onclick = does[button.dataset.do]));
  help.querySelector("button").onclick = () => help.close();
  root.querySelector("[data-do=copy]").hidden = !host.link;
  find.hidden = !host.find;
  root.querySelectorAll("[data-step]").forEach((button) => (button.onclick = () => go(waysFrom(data, where())[button.dataset.step])));
  const jump = root.querySelector(".jump");
  jump.onchange = () => jump.value !== "" && go(Math.min(Math.max(0, Math.trunc(jump.valueAsNumber)), data.last));
  if (root.getRootNode().activeElement !== find) find.value = data.find?.text ?? "";
  find.onkeydown = (event) => {
    if (event.key === "Escape") find.blur();
    if (event.key === "Enter") {
      find.blur();
      host.find(find.value.trim());
    }
  };
  find.oninput = () => find.value === "" && data.find && host.find("");
  const turns = data.find?.turns ?? [];
  said.textContent = data.find ? (turns.length ? `${turns.includes(data.index) ? `${turns.indexOf(data.index) + 1} of ` : ""}${turns.length} ${turns.length === 1 ? "turn has it" : "turns have it"}${data.find.here ? `; here in: ${data.find.here}` : ""}` : "nowhere in this session") : "";

  const others = { "/": () => find.focus(), "?": showHelp, c: copy, l: () => pickAction(root, memory, 1), h: () => pickAction(root, memory, -1) };
  if (!host.find) delete others["/"];
  if (!host.link) delete others.c;
  // Of two viewers on a page, the keys are for the one that has the focus, else for the outer one.
  const isMine = (event) => {
    const focused = event.composedPath().find((one) => one.classList?.contains("turn"));
    return focused ? focused === root : !data.inner;
  };
  const onKey = (event) => {
    if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey || !isMine(event)) return;
    if (event.key === "Escape" && help.open) return help.close();
    if (help.open && event.key !== "?") return;
    const step = KEYS[event.key];
    if (!step && !others[event.key]) return;
    event.preventDefault();
    if (step) go(waysFrom(data, where())[step]);
    else others[event.key]();
  };
  document.addEventListener("keydown", onKey);
  return () => document.removeEventListener("keydown", onKey);
};

// A viewer on a page of its own, which has all turns that it will ever have.
const showAlone = (page) => {
  const data = JSON.parse(page.getElementById("view").textContent);
  drawFacts(page.querySelector(".facts"), data);
  const root = page.querySelector(".turn");
  let stop = () => {};
  const show = (index) => {
    const all = { ...data.near, [data.index]: data.turn };
    const known = Object.keys(all).map(Number);
    const nearest = known.reduce((one, other) => (Math.abs(other - index) < Math.abs(one - index) ? other : one));
    stop();
    memories.delete(root);
    stop = view(root, { ...data, index: nearest, turn: all[nearest], near: all, at: null }, { go: show });
  };
  show(data.index);
};
