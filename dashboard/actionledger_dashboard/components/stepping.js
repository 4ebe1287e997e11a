// The keys of the viewer, and what they do; the ways on from a turn.

const HELP = [
  ["j or →", "next turn"],
  ["k or ←", "previous turn"],
  ["Home, End", "first turn, last turn"],
  ["e, E", "next turn with an error, the one before"],
  ["l, h", "next action of the turn, the one before: in the text and in every lane"],
  ["/", "search in the session; Enter finds, n and N go to the next and the previous turn that has it"],
  ["c", "copy a link to this turn, or to what is selected or stepped to in the response"],
  ["Tab", "from mark to mark; each says its dialect, its reason, its repairs and its offsets"],
  ["Enter", "from a mark to its card, and back"],
  ["?", "these keys; Escape closes them"],
];

// Where one can go from a turn, as far as the page knows it: beyond the turns that it has one by one, it has the nearest ones.
const waysFrom = (data, at) => {
  const ahead = data.turns.filter((turn) => turn.index > at);
  const behind = data.turns.filter((turn) => turn.index < at);
  const sought = data.find?.turns ?? [];
  const beyond = (way, place) => (data[way].nearest === null ? undefined : data[way][place] ?? undefined);
  return {
    next: ahead[0]?.index ?? (at < data.last ? Math.max(beyond("after", "nearest") ?? 0, at + 1) : undefined),
    previous: behind.at(-1)?.index ?? (at > data.stretches[0].first ? Math.min(beyond("before", "nearest") ?? at, at - 1) : undefined),
    first: data.stretches[0].first,
    last: data.last,
    nextError: ahead.find((turn) => turn.error)?.index ?? beyond("after", "error"),
    previousError: behind.findLast((turn) => turn.error)?.index ?? beyond("before", "error"),
    nextFound: sought.find((index) => index > at),
    previousFound: sought.findLast((index) => index < at),
  };
};

const KEYS = {
  ArrowRight: "next", j: "next", ArrowLeft: "previous", k: "previous", Home: "first", End: "last",
  e: "nextError", E: "previousError", n: "nextFound", N: "previousFound",
};
