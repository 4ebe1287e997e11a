// The tables of a ledger, each with its columns below it when it is opened.

const columnOf = (column) => {
  const name = element("dt", "", column.name);
  name.append(element("span", "type", column.type));
  return [name, element("dd", "", column.meaning)];
};

export default function ({ data: [data], parentElement }) {
  const whole = parentElement.querySelector(".catalogue");
  whole.tabIndex = 0;
  whole.setAttribute("role", "group");
  whole.setAttribute("aria-label", "tables");
  whole.replaceChildren(...data.tables.map((table) => {
    const part = element("details");
    const head = element("summary", "", table.name);
    head.append(element("span", "rows", table.rows.toLocaleString("en-US")));
    const columns = element("dl");
    columns.append(...table.columns.flatMap(columnOf));
    part.append(head, element("p", "", `A row is ${table.meaning}.`), columns);
    return part;
  }));
}
