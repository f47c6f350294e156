// <form data-filters>: choosing in a list filters at once; text fields wait for Enter. Empty fields stay out of the address.
(() => {
  "use strict";
  const filters = "form[data-filters]";
  document.addEventListener("change", (event) => {
    if (event.target.matches("select, [type=checkbox], [type=radio], [type=date]")) {
      event.target.closest(filters)?.requestSubmit();
    }
  });
  document.addEventListener("submit", (event) => {
    if (!event.target.matches(filters)) return;
    for (const input of event.target.querySelectorAll("input, select")) input.disabled = !input.value;
  });
  window.addEventListener("pageshow", () => {
    for (const input of document.querySelectorAll(`${filters} :disabled`)) input.disabled = false;
  });
})();
