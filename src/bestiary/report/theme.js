// Before the first paint, so that a dark page does not flash white.
try {
  const chosen = localStorage.getItem("bestiary-theme");
  if (chosen) document.documentElement.dataset.theme = chosen;
} catch {
  // Storage may be forbidden for files.
}
