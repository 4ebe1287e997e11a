// What is searched for: the list follows when it is entered, left or cleared, and what is being typed stays.

export default function ({ data, parentElement }) {
  const input = parentElement.querySelector("input");
  if (input.dataset.drawn !== data.text) input.value = data.text;
  input.dataset.drawn = data.text;
  input.onchange = input.onsearch = () => {
    const there = new URLSearchParams(location.search).get("search") ?? "";
    if (input.value !== there) go(addressWith("search", input.value));
  };
}
