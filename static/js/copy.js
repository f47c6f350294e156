// <button data-copy="text"> puts the text on the clipboard and says so.
(() => {
  "use strict";
  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-copy]");
    if (!button) return;
    const status = document.querySelector("#spoken");
    try {
      await navigator.clipboard.writeText(button.dataset.copy);
      button.classList.add("copied");
      if (status) status.textContent = button.dataset.copied;
      setTimeout(() => button.classList.remove("copied"), 2000);
    } catch {
      // Not allowed here (an insecure origin): select the text, so that the person's own copy key takes it.
      const text = button.parentElement.querySelector("code, input");
      if (text) getSelection().selectAllChildren(text);
    }
  });
})();
