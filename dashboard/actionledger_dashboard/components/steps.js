// How far responses and actions get: a bar a step, as long as what got there, its pale end what was lost on the way to it.

const linkTo = (kind, text, href) => {
  if (!href) return element("span", kind, text);
  const link = follows(element("a", kind, text));
  link.href = href;
  return link;
};

const stepOf = (step, most) => {
  const row = element("div", "step");
  row.setAttribute("role", "listitem");
  const bar = element("span", "bar");
  for (const [kind, count] of [["whole", step.whole], ["", step.count]]) {
    const part = element("i", kind);
    part.style.width = `${(100 * count) / most}%`;
    bar.append(part);
  }
  const counts = element("span", "counts");
  counts.append(linkTo("count", step.shown, step.href));
  counts.append(element("span", "share", step.share));
  row.append(element("span", "name", step.label), counts, bar, linkTo("lost", step.lost, step.lost ? step.lost_href : ""));
  return row;
};

export default function ({ data: [data], parentElement }) {
  const pane = parentElement.querySelector(".steps");
  pane.replaceChildren(...data.stages.map((stage) => {
    const made = element("div", "stage");
    made.setAttribute("role", "list");
    made.setAttribute("aria-label", stage.label);
    const most = Math.max(1, ...stage.steps.map((step) => step.whole));
    made.append(...stage.steps.map((step) => stepOf(step, most)));
    const whole = element("section");
    whole.append(element("h3", "", stage.label), made);
    return whole;
  }));
}
