// <form data-filters>: choosing in a list filters at once; text fields wait for Enter, and so do boxes with data-waits.
// Empty fields stay out of the address, and so does a field that only means something with others (data-with="a b").
(() => {
  "use strict";
  const filters = "form[data-filters]";
  document.addEventListener("change", (event) => {
    const field = event.target;
    if (!field.form?.matches(filters) || field.matches("[data-waits]")) return;
    if (field.matches("select, [type=checkbox], [type=radio], [type=date]")) field.form.requestSubmit();
  });
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!form.matches(filters)) return;
    const empty = (name) => !form.elements[name]?.value;
    for (const field of form.elements) {
      if (!field.matches("input, select")) continue;
      field.disabled = !field.value || (field.dataset.with?.split(" ").every(empty) ?? false);
    }
  });
  window.addEventListener("pageshow", () => {
    for (const input of document.querySelectorAll(`${filters} :disabled`)) input.disabled = false;
  });
})();
