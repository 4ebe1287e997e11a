// What the components share. All that others wrote goes in as text nodes and attributes, never as HTML.

const element = (tag, kind, text) => {
  const made = document.createElement(tag);
  if (kind) made.className = kind;
  if (text !== undefined) made.append(drawn(text));
  return made;
};

// An invisible character stays where it is, so that what is copied is the text itself; what is seen is its code.
const token = (found) => {
  const made = document.createElement("span");
  made.className = "token";
  made.dataset.code = found.code;
  made.setAttribute("role", "img");
  made.setAttribute("aria-label", found.name);
  made.title = found.name;
  const itself = document.createElement("span");
  itself.textContent = found.text;
  itself.hidden = Boolean(found.rest);
  made.append(itself);
  return made;
};

// A text as visible.py gives it: as it is, or in pieces where something in it is invisible.
const drawn = (text) => {
  const whole = document.createDocumentFragment();
  for (const piece of Array.isArray(text) ? text : [text]) whole.append(typeof piece === "object" ? token(piece) : String(piece));
  return whole;
};

// Streamlit follows the browser's history, so that one entry of our own leads to a page and the way back finds this one as it was.
const go = (href) => {
  history.pushState({}, "", href);
  dispatchEvent(new PopStateEvent("popstate", { state: {} }));
};

// A link is followed within the page, unless the reader asks for another tab.
const follows = (link, hrefOf = () => link.href) => {
  link.onclick = (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    event.stopPropagation();
    go(hrefOf());
  };
  return link;
};

// Keys that are typed into a field are no steps, and none that a page or an input method has taken already.
const FIELDS = "input, textarea, select, [contenteditable]:not([contenteditable=false]), [role=textbox], [role=combobox], [role=listbox]";
const isTyping = (event) => {
  const target = event.composedPath()[0];
  return event.isComposing || event.defaultPrevented || Boolean(target.closest?.(FIELDS));
};

// A component that is drawn anew is not told to stop first, only where it goes: what its last drawing listens to would answer before it, from
// data that is gone.
const instead = (root, stop) => {
  root.stop?.();
  root.stop = stop;
  return stop;
};
