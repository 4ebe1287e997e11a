// How many responses did not act that should have, how much was read whole, what fails at the greatest cost, and the turns of it to open.

const part = (piece) => {
  const words = piece.href ? follows(element("a", "", piece.text)) : element("span", "", piece.text);
  if (piece.href) words.href = piece.href;
  if (piece.whole) words.title = piece.whole;
  if (piece.kind === "chip") return element("span", `chip ${piece.look}`, piece.text);
  if (piece.kind === "code") return element("code", "", piece.text);
  if (piece.kind !== "number") return words;
  const number = element("b");
  number.append(words);
  return number;
};

export default function ({ data, parentElement }) {
  const pane = (name) => parentElement.querySelector(name);
  pane(".unacted").replaceChildren(...data.unacted.map(part));
  pane(".read").replaceChildren(...data.read.map(part));
  pane(".sessions").replaceChildren(...data.sessions.map(part));
  pane(".cost").replaceChildren(...data.cost.map(part));
  pane(".worst").replaceChildren(...data.worst.map(part));
  pane(".turns").hidden = !data.turns.length;
  pane(".turns").replaceChildren(...data.turns.map((piece) => {
    const item = element("li");
    item.append(part(piece));
    return item;
  }));
}
