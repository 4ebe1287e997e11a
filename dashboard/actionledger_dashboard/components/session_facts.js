// The facts of a session, mounted by themselves.

export default function ({ data: [data], parentElement }) {
  drawFacts(parentElement.querySelector(".facts"), data);
}
