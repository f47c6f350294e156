// What every page needs, each part small and optional: the page works without any of it.
//  - <html class="js"> lets `.only-js` controls show.
//  - the reader's time zone goes into a cookie, used until the person chooses one.
//  - a form is sent once: its buttons are disabled while the answer is on its way.
//  - a strip of tabs wider than the page begins where the open one shows.
//  - a summary of faults takes the focus; messages can be dismissed; menus close on Escape and outside clicks.
(() => {
  "use strict";
  const root = document.documentElement;
  root.classList.add("js");

  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (zone && !document.cookie.includes(`poco_time_zone=${encodeURIComponent(zone)}`)) {
    document.cookie = `poco_time_zone=${encodeURIComponent(zone)}; path=/; max-age=31536000; samesite=lax`;
  }

  // Once only. The button that was pressed still sends its name, so disabling waits for the next task.
  const release = (form) => {
    delete form.dataset.sent;
    for (const button of form.querySelectorAll("[aria-busy]")) {
      button.removeAttribute("aria-busy");
      button.disabled = false;
    }
  };
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (form.method !== "post" || form.matches("[hx-post], [data-own-submit]")) return;
    if (form.dataset.sent) {
      event.preventDefault();
      return;
    }
    form.dataset.sent = "1";
    const pressed = event.submitter;
    setTimeout(() => {
      if (event.defaultPrevented) {
        release(form);
      } else if (pressed) {
        pressed.setAttribute("aria-busy", "true");
        pressed.disabled = true;
      }
    });
  });
  // Back shows the page as it was kept in memory: make its forms usable again.
  window.addEventListener("pageshow", (event) => {
    if (event.persisted) document.querySelectorAll("form[data-sent]").forEach(release);
  });

  for (const tab of document.querySelectorAll(".tabs > [aria-current]")) {
    const strip = tab.parentElement;
    strip.scrollLeft = tab.offsetLeft - strip.offsetLeft - (strip.clientWidth - tab.offsetWidth) / 2;
  }

  const focusFaults = (within) => within.querySelector("[data-takes-focus]")?.focus();
  focusFaults(document);
  document.addEventListener("htmx:afterSettle", (event) => focusFaults(event.target));

  document.addEventListener("click", (event) => {
    event.target.closest("[data-dismiss]")?.closest(".message")?.remove();
    if (event.target.closest("[data-print]")) window.print();
    for (const menu of document.querySelectorAll("details.menu[open]")) {
      if (!menu.contains(event.target)) menu.open = false;
    }
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const menu of document.querySelectorAll("details.menu[open]")) {
      menu.open = false;
      menu.querySelector("summary").focus();
    }
  });

  // A refused htmx request tells why; the page itself is left as it was.
  document.addEventListener("htmx:responseError", (event) => tell(event.detail.xhr.status));
  document.addEventListener("htmx:sendError", () => tell(0));
  const tell = (status) => {
    const template = document.querySelector("#request-failed");
    const region = document.querySelector("#messages");
    if (!template || !region) return;
    const message = template.content.cloneNode(true);
    message.querySelector("[data-status]").textContent = status || "";
    region.replaceChildren(message);
  };
})();
