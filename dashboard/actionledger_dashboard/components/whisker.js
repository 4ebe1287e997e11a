// A share as a dot on its interval. The scale goes up to 100 %, and where it doesn't begin at nothing it is marked as cut.

const whisker = (rate, begin) => {
  const made = element("span", begin ? "whisker cut" : "whisker");
  made.setAttribute("role", "img");
  made.setAttribute("aria-label", `${rate.shown}, 95 % interval: ${rate.interval}; on a scale from ${Math.round(100 * begin)} % to 100 %`);
  made.append(element("span", "scale"));
  if (rate.value === null) return made;
  const room = begin ? 10 : 0; // pixels, for the mark of the cut
  const at = (share) => `calc(${room}px + (100% - ${room + 5}px) * ${Math.max(0, (share - begin) / (1 - begin))})`;
  if (rate.low !== null) {
    const span = element("span", "span");
    span.style.left = at(rate.low);
    span.style.right = `calc(100% - ${at(rate.high)})`;
    made.append(span);
  }
  const dot = element("span", "dot");
  dot.style.left = at(rate.value);
  made.append(dot);
  return made;
};
