// Live: while it is on, the page asks every two seconds what has come in since its newest row (htmx, by key).
// New rows come in above while the top of the table shows, nothing in it is under the pointer or has the focus, and it
// is not paused; otherwise they wait behind "N new", so that nothing moves while one reads. A hidden tab asks nothing,
// and no more rows are kept than can be scrolled through.
(() => {
  "use strict";
  const EVERY = 2000;
  const MOST = 200;
  let on = false;
  let paused = false;
  let timer = 0;
  const find = (selector) => document.querySelector(selector);
  const speak = (text) => {
    const spoken = find("#spoken");
    if (spoken) spoken.textContent = text;
  };

  const newestKey = () => (find("#rows-new > [data-key]") ?? find("#rows > [data-key]"))?.dataset.key ?? "";

  const reading = () => {
    const rows = find("#rows");
    const table = find("[data-log-table]");
    if (paused || !rows) return true;
    if (table.hidden) return false;
    return rows.matches(":hover") || rows.contains(document.activeElement) || table.getBoundingClientRect().top < 0;
  };

  // Rows are in the order of their keys; one that was written late goes where it belongs.
  const show = () => {
    const rows = find("#rows");
    const waiting = [...find("#rows-new").children];
    let place = rows.firstElementChild;
    for (const row of waiting) {
      if (row.dataset.key && document.getElementById(row.id) !== row) {
        row.remove();
        continue;
      }
      while (place && row.dataset.key && place.dataset.key > row.dataset.key) place = place.nextElementSibling;
      rows.insertBefore(row, place);
    }
    if (rows.children.length > MOST) trim(rows);
    find("[data-log-table]").hidden = !rows.children.length;
    find("[data-no-rows]")?.remove();
  };

  // What is let go of at the end is where "Older" begins.
  const trim = (rows) => {
    while (rows.children.length > MOST) rows.lastElementChild.remove();
    const older = find(".pagination [rel=next]");
    if (!older) return;
    const address = new URL(older.href, location.href);
    address.searchParams.set("after", [...rows.querySelectorAll("[data-key]")].at(-1).dataset.key);
    older.href = address;
    older.closest(".pagination").hidden = false;
  };

  const settle = () => {
    const waiting = find("#rows-new");
    if (!waiting) return;
    if (!reading()) show();
    const pill = find("[data-tail-new]");
    const count = waiting.children.length;
    pill.hidden = !count;
    if (!count) return;
    const words = count === 1 ? pill.dataset.one : count < MOST ? pill.dataset.many : pill.dataset.most;
    pill.textContent = words.replace("%n%", Math.min(count, MOST).toLocaleString(document.documentElement.lang));
  };

  // What came in before is kept above what comes in now: the answer goes into the waiting rows, doubles left out.
  document.addEventListener("htmx:configRequest", (event) => {
    if (event.detail.elt?.id === "tail") event.detail.parameters.since_key = newestKey();
  });
  document.addEventListener("htmx:beforeSwap", (event) => {
    if (event.detail.target?.id !== "rows-new") return;
    event.detail.shouldSwap = false;
    if (event.detail.xhr.status !== 200 || !on) return;
    const parsed = document.createElement("template");
    parsed.innerHTML = `<table><tbody>${event.detail.serverResponse}</tbody></table>`;
    const fresh = [...parsed.content.querySelector("tbody").children].filter((row) => !row.id || !document.getElementById(row.id));
    const waiting = find("#rows-new");
    waiting.prepend(...fresh);
    while (waiting.children.length > MOST) waiting.lastElementChild.remove();
    settle();
  });

  const ask = () => {
    if (on && !document.hidden) {
      settle();
      const tail = find("#tail");
      if (tail && window.htmx) window.htmx.trigger(tail, "poll");
    }
  };

  const draw = () => {
    const button = find("[data-tail-switch]");
    const pause = find("[data-tail-pause]");
    if (!button) return;
    button.setAttribute("aria-pressed", on);
    pause.hidden = !on;
    pause.setAttribute("aria-pressed", paused);
  };

  const turn = (state) => {
    on = state;
    paused = false;
    clearInterval(timer);
    if (on) timer = setInterval(ask, EVERY);
    draw();
    const button = find("[data-tail-switch]");
    if (button) speak(on ? button.dataset.on : button.dataset.off);
    if (on) ask();
  };

  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-tail-switch]")) {
      turn(!on);
    } else if (event.target.closest("[data-tail-pause]")) {
      paused = !paused;
      draw();
      settle();
    } else if (event.target.closest("[data-tail-new]")) {
      find("#main").scrollIntoView();
      show();
      settle();
    }
  });
  // Other filters: the rows are others, following goes on.
  document.addEventListener("htmx:afterSwap", (event) => {
    if (event.detail.target?.id !== "results") return;
    if (find("#tail")) draw();
    else if (on) turn(false);
  });
  document.addEventListener("visibilitychange", ask);
})();
