// Rows put into order: drag one by its handle, or press Space on the handle and move it with the arrow keys.
// A row moves within its own [data-sortable]; what was done is spoken in #spoken, in the words on form[data-order].
// The server is told of the new neighbour; when it refuses, the page is loaded anew and shows how things are.
(() => {
  "use strict";
  const form = document.querySelector("form[data-order]");
  const spoken = document.querySelector("#spoken");
  if (!form || !spoken) return;
  const EDGE = 48; // near the window's edge the page moves along, by a step for each movement
  const STEP = 14;
  let lifted = null; // { row, handle, next: the row it stood before, by: "keys" | "pointer" }

  const rowsOf = (list) => [...list.querySelectorAll(":scope > [data-key]")];
  const say = (what, row) => {
    const rows = rowsOf(row.parentElement);
    const words = { name: row.dataset.name, place: rows.indexOf(row) + 1, of: rows.length };
    spoken.textContent = form.dataset[what].replace(/\{(\w+)\}/g, (_, word) => words[word]);
  };

  const lift = (handle, by) => {
    const row = handle.closest("[data-key]");
    lifted = { row, handle, next: row.nextElementSibling, by };
    row.classList.add("lifted");
    handle.setAttribute("aria-pressed", "true");
    if (by === "keys") say("lifted", row);
  };

  const settle = () => {
    lifted.row.classList.remove("lifted");
    lifted.handle.setAttribute("aria-pressed", "false");
    lifted = null;
  };

  const putBack = () => {
    const { row, handle, next } = lifted;
    row.parentElement.insertBefore(row, next);
    settle();
    handle.focus();
    say("back", row);
  };

  const putDown = () => {
    const { row, handle, next } = lifted;
    const moved = row.nextElementSibling !== next;
    settle();
    handle.focus();
    if (moved) save(row);
    else say("back", row);
  };

  const save = async (row) => {
    const rows = rowsOf(row.parentElement);
    const at = rows.indexOf(row);
    const body = new URLSearchParams(new FormData(form));
    body.set("move", at ? `after:${row.dataset.key}` : `before:${row.dataset.key}`);
    body.set("neighbour", (at ? rows[at - 1] : rows[at + 1]).dataset.key);
    const answer = await fetch(form.action, { method: "POST", body, headers: { "X-Order": "1" } }).catch(() => null);
    if (answer?.ok) {
      say("saved", row);
    } else {
      spoken.textContent = form.dataset.failed;
      window.location.reload();
    }
  };

  const shift = (step) => {
    const rows = rowsOf(lifted.row.parentElement);
    const at = rows.indexOf(lifted.row);
    const to = Math.min(Math.max(at + step, 0), rows.length - 1);
    if (to < at) rows[to].before(lifted.row);
    if (to > at) rows[to].after(lifted.row);
    lifted.handle.focus();
    lifted.row.scrollIntoView({ block: "nearest" });
    say("moved", lifted.row);
  };

  const STEPS = { ArrowUp: -1, ArrowDown: 1, Home: -Infinity, End: Infinity };
  document.addEventListener("keydown", (event) => {
    const handle = event.target.closest("[data-handle]");
    if (!handle || lifted?.by === "pointer") return;
    const pressed = event.key === " " || event.key === "Enter";
    if (!lifted && pressed) lift(handle, "keys");
    else if (lifted && pressed) putDown();
    else if (lifted && event.key === "Escape") putBack();
    else if (lifted && event.key in STEPS) shift(STEPS[event.key]);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  document.addEventListener("focusout", (event) => {
    // Focus leaves while the row is being moved in the page, and comes back at once: only a real leaving puts it down.
    if (lifted?.by !== "keys" || event.target !== lifted.handle) return;
    setTimeout(() => {
      if (lifted?.by === "keys" && document.activeElement !== lifted.handle) putDown();
    });
  });

  document.addEventListener("pointerdown", (event) => {
    const handle = event.button === 0 && event.target.closest("[data-handle]");
    if (!handle || lifted) return;
    event.preventDefault();
    handle.setPointerCapture(event.pointerId);
    lift(handle, "pointer");
  });
  document.addEventListener("pointermove", (event) => {
    if (lifted?.by !== "pointer") return;
    if (event.clientY < EDGE) window.scrollBy(0, -STEP);
    if (event.clientY > window.innerHeight - EDGE) window.scrollBy(0, STEP);
    for (const row of rowsOf(lifted.row.parentElement)) {
      if (row === lifted.row) continue;
      const box = row.getBoundingClientRect();
      if (event.clientY < box.top || event.clientY > box.bottom) continue;
      if (event.clientY < box.top + box.height / 2) row.before(lifted.row);
      else row.after(lifted.row);
      break;
    }
  });
  document.addEventListener("pointerup", () => lifted?.by === "pointer" && putDown());
  document.addEventListener("pointercancel", () => lifted?.by === "pointer" && putBack());
})();
