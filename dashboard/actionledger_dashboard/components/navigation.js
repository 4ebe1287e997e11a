// The pages as links that take the filters along: what is picked stands in the address, and nowhere else.

const withFilters = (data, { path, has_filters }) => {
  if (!has_filters) return path;
  const there = data.keeps ? new URLSearchParams(data.kept) : new URLSearchParams(location.search);
  const taken = new URLSearchParams([...there].filter(([name]) => data.names.includes(name)));
  return taken.size ? `${path}?${taken}` : path;
};

export default function ({ data, parentElement }) {
  const bar = parentElement.querySelector("nav");
  bar.replaceChildren(...data.pages.map((page) => {
    const link = element("a", "", page.title);
    const aim = () => (link.href = withFilters(data, page));
    aim();
    link.onpointerdown = link.onfocus = aim;
    if (page.is_here) link.setAttribute("aria-current", "page");
    return follows(link, aim);
  }));
  const here = bar.querySelector("[aria-current]");
  if (here) bar.scrollLeft = here.offsetLeft - (bar.clientWidth - here.offsetWidth) / 2;
}
