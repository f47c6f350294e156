// Keys: "/" to search, "g" then a letter to go, "?" for help. Silent while typing.
(() => {
  "use strict";
  let going = 0;
  const typing = (target) => target.closest("input, textarea, select, [contenteditable]");
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
    if (document.querySelector("dialog[open]")) return;
    const withinGo = Date.now() - going < 1500;
    going = 0;
    if (withinGo) {
      const link = document.querySelector(`[data-go="${CSS.escape(event.key.toLowerCase())}"]`);
      if (link) {
        event.preventDefault();
        link.click();
      }
    } else if (event.key === "g") {
      going = Date.now();
    } else if (event.key === "/") {
      const search = document.querySelector("#search");
      if (search) {
        event.preventDefault();
        search.focus();
        search.select();
      }
    } else if (event.key === "?") {
      document.querySelector("#keys-help")?.showModal();
    }
  });
})();
