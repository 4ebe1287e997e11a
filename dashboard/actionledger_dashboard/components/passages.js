// Texts under their titles, in columns.

const passage = ({ title, text, absent, folded }) => {
  const box = element(folded ? "details" : "section");
  box.append(element(folded ? "summary" : "h4", "", title));
  const shown = element("pre", text === null || !text.length ? "absent" : "", text === null ? absent : text.length ? text : "(nothing)");
  shown.tabIndex = 0;
  shown.setAttribute("role", "region");
  shown.setAttribute("aria-label", title);
  box.append(shown);
  return box;
};

export default function ({ data, parentElement }) {
  const columns = data.columns.map((texts) => {
    const column = element("div");
    column.append(...texts.map(passage));
    return column;
  });
  parentElement.querySelector(".columns").replaceChildren(...columns);
}
