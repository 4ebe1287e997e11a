// All turns of a session as one strip of verdicts: a press goes there. What is worse is higher, for who can't tell the colours.

const drawMap = (box, data, wanted, go) => {
  const here = data.stretches.findLastIndex((cell) => cell.first <= wanted);
  const cells = data.stretches.map((cell, place) => {
    const made = element("span", `cell ${cell.look}${place === here ? " here" : ""}`);
    made.title = cell.said;
    made.append(element("i"));
    made.onclick = () => go(cell.first <= wanted && wanted <= cell.last ? cell.first : cell.goesTo);
    return made;
  });
  box.classList.toggle("dense", cells.length > 120);
  box.replaceChildren(...cells);
  box.setAttribute("aria-valuemin", data.stretches[0].first);
  box.setAttribute("aria-valuemax", data.last);
  box.setAttribute("aria-valuenow", wanted);
  const errors = data.stretches.filter((cell) => cell.look === "bad").length;
  box.setAttribute("aria-valuetext", `turn ${wanted} of ${data.last}; ${errors} of ${cells.length} places on the map have an error`);
};
