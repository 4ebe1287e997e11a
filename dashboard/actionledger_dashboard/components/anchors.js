// A line of links to other pages, with a few words before them.

export default function ({ data: [data], parentElement }) {
  const links = data.links.map(({ text, href }) => {
    const link = element("a", "", text);
    link.href = href;
    return follows(link);
  });
  parentElement.querySelector(".anchors").replaceChildren(...(data.before.length ? [element("span", "", data.before)] : []), ...links);
}
