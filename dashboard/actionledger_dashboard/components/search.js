// What is searched for: the list follows when it is entered, left or cleared, and what is being typed stays.

const askedFor = () => new URLSearchParams(location.search).getAll("search").at(-1) ?? "";

export default function ({ parentElement }) {
  const input = parentElement.querySelector("input");
  const show = () => {
    const asked = askedFor();
    if (input.dataset.drawn !== asked) input.value = asked;
    input.dataset.drawn = asked;
  };
  show();
  input.onchange = input.onsearch = () => {
    if (input.value !== askedFor()) go(addressWith("search", input.value));
  };
  // Who goes back before the page was drawn with the last word has it drawn with the same as before, which is no news.
  const until = new AbortController();
  addEventListener("popstate", show, { signal: until.signal });
  return () => until.abort();
}
