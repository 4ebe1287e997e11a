// What the checks of a ledger say, a line each: how much it matters, what is so, what to do.

export default function ({ data: [data], parentElement }) {
  const list = parentElement.querySelector(".findings");
  list.replaceChildren(...data.findings.map((finding) => {
    const line = element("li");
    const level = element("span");
    level.append(element("span", `chip ${finding.look}`, finding.level));
    const said = element("span", "said", finding.sentence);
    if (finding.to_do) said.append(element("span", `do ${finding.look}-do`, finding.to_do));
    line.append(level, element("span", "check", finding.check), said);
    return line;
  }));
}
