// Numbers in a row: what each is, the number, its interval as a dot-and-whisker, and what it was counted from.

const linked = (tag, kind, text, href) => {
  if (!href) return element(tag, kind, text);
  const link = follows(element("a", kind, text));
  link.href = href;
  return link;
};

const helpOf = (stat, key) => {
  const button = element("button", "help", "?");
  button.setAttribute("aria-label", `What is meant by ${stat.label}?`);
  button.setAttribute("popovertarget", key);
  const words = element("div", "", stat.meaning);
  words.id = key;
  words.setAttribute("popover", "auto");
  return [button, words];
};

const cellOf = (stat, begin, place) => {
  const cell = element("div", "cell");
  const top = element("div", "top");
  top.append(element("span", "label", stat.label));
  const help = stat.meaning ? helpOf(stat, `meaning-${place}`) : [];
  if (help.length) top.append(help[0]);
  cell.append(top, linked("span", stat.is_word ? "number word" : "number", stat.number, stat.href));
  if (stat.rate) cell.append(whisker(stat.rate, begin));
  for (const words of stat.below) cell.append(element("span", "below", words));
  if (stat.missed) cell.append(linked("span", "missed", stat.missed.text, stat.missed.href));
  cell.append(...help.slice(1));
  return cell;
};

export default function ({ data: [data], parentElement }) {
  const strip = parentElement.querySelector(".strip");
  strip.setAttribute("aria-label", data.label);
  strip.setAttribute("role", "group");
  strip.replaceChildren(...data.stats.map((stat, place) => cellOf(stat, data.begin, place)));
}
