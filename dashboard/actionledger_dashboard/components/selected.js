// The stretch of the response that is selected, in code points; null where nothing of it is.
const selectedSpan = (text) => {
  const home = text.getRootNode();
  const selection = home.getSelection?.() ?? getSelection();
  if (!selection?.rangeCount || selection.isCollapsed) return null;
  const { startContainer, startOffset, endContainer, endOffset } = selection.getComposedRanges?.({ shadowRoots: [home] })[0] ?? selection.getRangeAt(0);
  if (!text.contains(startContainer) || !text.contains(endContainer)) return null;
  const upTo = (node, offset) => {
    const range = document.createRange();
    range.setStart(text, 0);
    range.setEnd(node, offset);
    return Number(text.dataset.from ?? 0) + Array.from(range.toString()).length;
  };
  return [upTo(startContainer, startOffset), upTo(endContainer, endOffset)];
};
