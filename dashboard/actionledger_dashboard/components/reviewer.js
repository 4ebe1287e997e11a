// Who reviews in this browser: a name that was typed once is kept in its own storage, which no other origin can read.

const KEY = "actionledger.reviewer";

export default function ({ data: [data], setTriggerValue }) {
  try {
    if (data.forget) localStorage.removeItem(KEY);
    else if (data.name) localStorage.setItem(KEY, data.name);
    else {
      const known = localStorage.getItem(KEY);
      if (known) setTriggerValue("known", known);
    }
  } catch {
    // A browser that keeps nothing is asked again.
  }
}
