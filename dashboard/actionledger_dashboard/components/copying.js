// Where the page may not write to the clipboard, an old way may still be open.
const copied = async (words) => {
  try {
    await navigator.clipboard.writeText(words);
    return true;
  } catch {
    const field = element("textarea");
    field.value = words;
    document.body.append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    return done;
  }
};
