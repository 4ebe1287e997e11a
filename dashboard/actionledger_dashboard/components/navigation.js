// The pages as links that take the filters along, and a search over all sessions. What is picked stands in the address; for the way back from a
// page without filters it is kept with the tab, so that a page that is loaded anew still knows it.

const KEPT = "actionledger.filters";

const withFilters = (data, { path, has_filters }) => {
  if (!has_filters) return path;
  const there = new URLSearchParams(data.keeps ? (sessionStorage.getItem(KEPT) ?? "") : location.search);
  const taken = new URLSearchParams([...there].filter(([name]) => data.names.includes(name)));
  return taken.size ? `${path}?${taken}` : path;
};

const linkOf = (data, page) => {
  const link = element("a", "", page.title);
  const aim = () => (link.href = withFilters(data, page));
  aim();
  link.onpointerdown = link.onfocus = aim;
  if (page.is_here) link.setAttribute("aria-current", "page");
  return follows(link, aim);
};

const searchOf = () => {
  const form = element("form");
  form.setAttribute("role", "search");
  const field = element("input");
  field.type = "search";
  field.placeholder = "Find in all sessions";
  field.setAttribute("aria-label", "Find in all sessions");
  form.append(field);
  form.onsubmit = (event) => {
    event.preventDefault();
    if (field.value.trim()) go(`turns?${new URLSearchParams({ search: field.value })}`);
  };
  return form;
};

// On a phone all but the first pages are behind a button.
const moreOf = (bar, isHere) => {
  const button = element("button", isHere ? "more here" : "more", "More");
  const open = (isOpen) => {
    bar.classList.toggle("open", isOpen);
    button.setAttribute("aria-expanded", String(isOpen));
  };
  button.type = "button";
  button.onclick = () => open(!bar.classList.contains("open"));
  bar.onkeydown = (event) => {
    if (event.key !== "Escape" || !bar.classList.contains("open")) return;
    open(false);
    button.focus();
  };
  open(false);
  return button;
};

export default function ({ data: [data], parentElement }) {
  if (!data.keeps) sessionStorage.setItem(KEPT, data.here);
  const bar = parentElement.querySelector("nav");
  const [first, others] = [true, false].map((is) => data.pages.filter((page) => page.is_first === is));
  const rest = element("div", "rest");
  const search = searchOf();
  rest.append(...others.map((page) => linkOf(data, page)), search);
  bar.replaceChildren(...first.map((page) => linkOf(data, page)), moreOf(bar, others.some((page) => page.is_here)), rest);

  const onKey = (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
    event.preventDefault();
    search.firstChild.focus();
  };
  window.addEventListener("keydown", onKey); // behind the document's listeners: on the replay the key is for the session's own search
  return instead(parentElement, () => window.removeEventListener("keydown", onKey));
}
