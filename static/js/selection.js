// Selecting rows of a list: [data-pick-all] takes all [data-pick] of the page, [data-picked] says how many are.
(() => {
  "use strict";
  const picks = () => [...document.querySelectorAll("[data-pick]")];
  const tell = () => {
    const all = document.querySelector("[data-pick-all]");
    const told = document.querySelector("[data-picked]");
    const chosen = picks().filter((pick) => pick.checked).length;
    if (all) {
      all.checked = chosen > 0 && chosen === picks().length;
      all.indeterminate = chosen > 0 && !all.checked;
    }
    if (told) told.textContent = chosen ? told.dataset.one.replace("{count}", chosen) : "";
  };
  document.addEventListener("change", (event) => {
    if (event.target.matches("[data-pick-all]")) for (const pick of picks()) pick.checked = event.target.checked;
    if (event.target.matches("[data-pick-all], [data-pick]")) tell();
  });
  window.addEventListener("pageshow", tell);
  tell();
})();
