// A text as it is. What is copied is all of it, with the characters that nobody sees.

export default function ({ data: [data], parentElement }) {
  const shown = parentElement.querySelector("pre");
  const button = parentElement.querySelector("button");
  shown.replaceChildren(drawn(data.text));
  button.onclick = async () => {
    button.textContent = (await copied(shown.textContent)) ? "copied ✓" : "can't copy here";
    setTimeout(() => (button.textContent = "copy"), 2000);
  };
}
