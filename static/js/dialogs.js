// <button commandfor="id" command="show-modal"> opens a <dialog> without JavaScript where the browser knows invoker
// commands; this does the same for older ones. Closing gives the focus back, which <dialog> does by itself.
(() => {
  "use strict";
  if ("commandForElement" in HTMLButtonElement.prototype) return;
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button[commandfor]");
    const dialog = button && document.getElementById(button.getAttribute("commandfor"));
    if (!(dialog instanceof HTMLDialogElement)) return;
    if (button.getAttribute("command") === "show-modal") dialog.showModal();
    if (button.getAttribute("command") === "close") dialog.close();
  });
})();
