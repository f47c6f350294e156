// <form data-filters>: choosing in a list filters at once; text fields wait for Enter, and so do boxes with data-waits.
// Empty fields stay out of the address, and so does a field that only means something with others (data-with="a b") and
// a choice of boxes that is the usual one (data-usual="a b" on the box).
(() => {
  "use strict";
  const filters = "form[data-filters]";
  document.addEventListener("change", (event) => {
    const field = event.target;
    if (!field.form?.matches(filters) || field.matches("[data-waits]")) return;
    if (field.matches("select, [type=checkbox], [type=radio], [type=date]")) field.form.requestSubmit();
  });
  const isUsual = (form, box) => {
    const chosen = [...form.elements].filter((other) => other.name === box.name && other.checked).map((other) => other.value);
    return chosen.join(" ") === box.dataset.usual;
  };
  const free = (form) => {
    for (const field of form.elements) {
      if (field.dataset.leftOut) field.disabled = false;
      delete field.dataset.leftOut;
    }
  };
  // Before anybody reads the form: htmx listens on it, so this listens on the way down.
  document.addEventListener(
    "submit",
    (event) => {
      const form = event.target;
      if (!form.matches(filters)) return;
      const isEmpty = (name) => !form.elements[name]?.value;
      const fields = [...form.elements].filter((field) => field.matches("input, select") && !field.disabled);
      const out = fields.filter(
        (field) => !field.value || field.dataset.with?.split(" ").every(isEmpty) || (field.dataset.usual && isUsual(form, field)),
      );
      for (const field of out) {
        field.disabled = true;
        field.dataset.leftOut = "1";
      }
      setTimeout(() => form.matches("[hx-get]") && free(form));
    },
    true,
  );
  window.addEventListener("pageshow", () => document.querySelectorAll(filters).forEach(free));
})();
