// All turns of a session as one strip of verdicts: a press goes there. What is worse is higher, for who can't tell the colours.

const drawCells = (box, stretches) => {
  const cells = stretches.map((cell) => {
    const made = element("span", `cell ${cell.look}`);
    made.title = cell.said;
    made.append(element("i"));
    return made;
  });
  box.classList.toggle("dense", cells.length > 120);
  box.replaceChildren(...cells);
};

// The cells of a long session are many; they are made anew where they are others alone.
const drawMap = (box, data, wanted, go) => {
  const key = JSON.stringify(data.stretches);
  if (drawnMaps.get(box) !== key) drawCells(box, data.stretches);
  drawnMaps.set(box, key);
  const here = data.stretches.findLastIndex((cell) => cell.first <= wanted);
  box.querySelector(".here")?.classList.remove("here");
  box.children[here]?.classList.add("here");
  box.onclick = (event) => {
    const cell = data.stretches[[...box.children].indexOf(event.target.closest(".cell"))];
    if (cell) go(cell.goesTo === wanted ? cell.first : cell.goesTo);
  };
  box.setAttribute("aria-valuemin", data.stretches[0].first);
  box.setAttribute("aria-valuemax", data.last);
  box.setAttribute("aria-valuenow", wanted);
  const errors = data.stretches.filter((cell) => cell.look === "bad").length;
  box.setAttribute("aria-valuetext", `turn ${wanted} of ${data.last}; ${errors} of ${data.stretches.length} places on the map have an error`);
};
const drawnMaps = new WeakMap();
