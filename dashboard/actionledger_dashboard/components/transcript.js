// The viewer within the dashboard: steps go through the server, which has the turns that were not sent yet.

export default function ({ data: [data], parentElement, setTriggerValue }) {
  const link = (index, span) => {
    const address = new URL(location.href);
    address.searchParams.set(data.names.turn, index);
    address.searchParams.delete(data.names.at);
    if (span) address.searchParams.set(data.names.at, span.join("-"));
    return address.href;
  };
  const root = parentElement.querySelector(".turn");
  const stop = view(root, data, {
    go: (index, step) => setTriggerValue("go", { index, step }),
    find: (text) => setTriggerValue("find", text),
    link,
  });
  return instead(root, stop);
}
