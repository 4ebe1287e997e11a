// Goes on to a page as soon as it is mounted; each time it is told to, and once.

const gone = new WeakMap();

export default function ({ data: [data], parentElement }) {
  if (gone.get(parentElement) === data.nonce) return;
  gone.set(parentElement, data.nonce);
  go(data.href);
}
