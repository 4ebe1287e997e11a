// Where a page's own controls lead: to the same page with another word in its address, from its list's first page on.

const addressWith = (name, value) => {
  const there = new URLSearchParams(location.search);
  there.delete("page");
  if (value) there.set(name, value);
  else there.delete(name);
  return there.size ? `${location.pathname}?${there}` : location.pathname;
};
