// Streamlit says for five seconds that a file could not be made, and never why: once it says so, the page does.

export default function ({ data: [data], parentElement, setTriggerValue }) {
  const told = new WeakSet();
  const watcher = new MutationObserver(() => {
    const failed = document.querySelector("[data-testid=stDownloadButtonError]");
    if (!failed || told.has(failed)) return;
    told.add(failed);
    setTriggerValue("failed", data.name);
  });
  watcher.observe(document.body, { childList: true, subtree: true });
  return instead(parentElement, () => watcher.disconnect());
}
