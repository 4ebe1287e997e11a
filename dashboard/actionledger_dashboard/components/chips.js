// What is filtered by, each with the cross that takes it out: a link to the same page without it.

const withQuery = (query) => (query ? `${location.pathname}?${query}` : location.pathname);

const chipOf = (chip) => {
  const shown = element("span", chip.isSetAside ? "filter aside" : "filter");
  const value = element("span", "value", chip.value);
  shown.append(element("span", "label", chip.label), value);
  const remove = follows(element("a", "remove", "×"));
  remove.href = withQuery(chip.without);
  remove.setAttribute("aria-label", `Remove the filter ${chip.label}: ${value.textContent}`);
  value.title = value.textContent;
  shown.append(remove);
  return shown;
};

export default function ({ data: [data], parentElement }) {
  const list = parentElement.querySelector(".chips");
  list.replaceChildren(...data.chips.map(chipOf));
  if (data.chips.length < 2) return;
  const clear = follows(element("a", "clear", "Clear all"));
  clear.href = withQuery(data.cleared);
  list.append(clear);
}
