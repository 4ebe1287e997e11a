// One of several things. What has the focus keeps it while the field is drawn anew.

export default function ({ data: [data], parentElement }) {
  const box = parentElement.querySelector(".choice");
  const hadFocus = box.contains(box.getRootNode().activeElement);
  const select = element("select");
  select.append(...data.options.map(({ value, text }) => new Option(text, value, false, value === data.picked)));
  select.onchange = () => go(addressWith(data.name, select.selectedIndex ? select.value : ""));
  box.replaceChildren(element("span", "", data.label), select);
  if (hadFocus) select.focus();
}
