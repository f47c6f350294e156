// A review with one key a connector: each [data-key] is pressed by its key. Silent while typing, and for a key that is
// held down: an answer is never given twice.
(() => {
  "use strict";
  if (!document.querySelector("[data-review]")) return;
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest("input, textarea, select, [contenteditable]")) return;
    if (document.querySelector("dialog[open]")) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const target = document.querySelector(`[data-key="${CSS.escape(key)}"]`);
    if (!target) return;
    event.preventDefault();
    target.click();
  });
})();
