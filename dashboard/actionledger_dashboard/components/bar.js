// The row above a list. What has the focus keeps it while the row is drawn anew.

const flagOf = ({ label, name, isOn }) => {
  const box = element("label");
  const input = element("input");
  input.type = "checkbox";
  input.checked = isOn;
  input.dataset.what = name;
  input.onchange = () => go(addressWith(name, input.checked ? "1" : ""));
  box.append(input, label);
  return box;
};

const choiceOf = ({ label, name, options, picked }) => {
  const box = element("label", "choice", label);
  const select = element("select");
  select.dataset.what = name;
  select.append(...options.map((option) => new Option(option, option, false, option === picked)));
  select.onchange = () => go(addressWith(name, select.value === options[0] ? "" : select.value));
  box.append(select);
  return box;
};

const around = (page, pages) => [...new Set([1, page - 1, page, page + 1, pages])].filter((each) => each >= 1 && each <= pages);

const pagesOf = ({ page, pages }) => {
  const box = element("nav");
  box.setAttribute("aria-label", "pages of the list");
  const linkTo = (number, text, name) => {
    const link = follows(element("a", "", text));
    link.href = addressWith("page", number > 1 ? String(number) : "");
    link.setAttribute("aria-label", name);
    link.dataset.what = name;
    if (number === page) link.setAttribute("aria-current", "page");
    box.append(link);
  };
  if (page > 1) linkTo(page - 1, "‹", "previous page");
  around(page, pages).forEach((number, place, shown) => {
    if (place && number > shown[place - 1] + 1) box.append(element("span", "", "…"));
    linkTo(number, String(number), `page ${number}`);
  });
  if (page < pages) linkTo(page + 1, "›", "next page");
  return box;
};

const drawItem = { flag: flagOf, choice: choiceOf, pages: pagesOf };

export default function ({ data: [data], parentElement }) {
  const bar = parentElement.querySelector(".bar");
  const focused = bar.getRootNode().activeElement?.dataset.what;
  bar.replaceChildren(...data.items.map((item) => drawItem[item.kind](item)));
  if (focused) bar.querySelector(`[data-what="${focused}"]`)?.focus();
}
