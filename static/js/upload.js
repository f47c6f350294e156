// The upload with its progress in bytes, a cancel, and the limit looked at before anything is sent.
// Without this file the form is sent as any other form.
(() => {
  "use strict";
  const form = document.querySelector("#upload");
  if (!form) return;
  const field = form.querySelector("input[type=file]");
  const panel = form.querySelector(".upload-progress");
  const bar = panel.querySelector("progress");
  const told = panel.querySelector("[data-told]");
  const choose = form.querySelector("[data-choose]");
  const faults = document.querySelector("#upload-fault");
  let request = null;

  const bytes = (size) => {
    let amount = size;
    let unit = "B";
    for (const larger of ["KiB", "MiB", "GiB"]) {
      if (amount < 1024) break;
      amount /= 1024;
      unit = larger;
    }
    return `${amount.toLocaleString(document.documentElement.lang, { maximumFractionDigits: amount < 10 ? 1 : 0 })} ${unit}`;
  };

  const refuse = (message) => {
    const box = document.createElement("div");
    box.className = "notice notice-bad";
    const text = document.createElement("div");
    const strong = document.createElement("strong");
    strong.textContent = message;
    text.append(strong);
    box.append(text);
    faults.replaceChildren(box);
    finish();
    field.focus();
  };

  const finish = () => {
    request = null;
    panel.hidden = true;
    choose.hidden = false;
    field.hidden = false;
  };

  const fits = (file) => {
    if (file.size > Number(form.dataset.limit)) refuse(`${form.dataset.tooLarge} (${file.name}: ${bytes(file.size)})`);
    else if (!/\.zip$/i.test(file.name)) refuse(form.dataset.notZip);
    else return true;
    return false;
  };

  const start = (file) => {
    if (request || !fits(file)) return;
    faults.replaceChildren();
    const data = new FormData(form);
    data.set("package", file, file.name);
    panel.hidden = false;
    choose.hidden = true;
    field.hidden = true;
    bar.value = 0;
    request = new XMLHttpRequest();
    request.open("POST", form.action);
    request.setRequestHeader("Accept", "application/json");
    request.responseType = "json";
    request.upload.addEventListener("progress", (event) => {
      bar.value = event.total ? event.loaded / event.total : 0;
      told.textContent = form.dataset.progress.replace("%sent%", bytes(event.loaded)).replace("%total%", bytes(event.total));
    });
    request.upload.addEventListener("load", () => {
      bar.removeAttribute("value");
      told.textContent = form.dataset.checking;
    });
    request.addEventListener("load", () => {
      const answer = request.response;
      if (request.status === 200 && answer?.location) location.assign(answer.location);
      else refuse(answer?.message || form.dataset.broken);
    });
    request.addEventListener("error", () => refuse(form.dataset.broken));
    request.addEventListener("abort", finish);
    request.send(data);
  };

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (field.files.length) start(field.files[0]);
    else field.focus();
  });
  field.addEventListener("change", () => {
    if (field.files.length) start(field.files[0]);
  });
  panel.querySelector("[data-cancel]").addEventListener("click", () => {
    field.value = "";
    request?.abort();
  });
  for (const name of ["dragenter", "dragover"]) {
    form.addEventListener(name, (event) => {
      event.preventDefault();
      form.classList.add("over");
    });
  }
  form.addEventListener("dragleave", () => form.classList.remove("over"));
  form.addEventListener("drop", (event) => {
    event.preventDefault();
    form.classList.remove("over");
    const file = event.dataTransfer.files[0];
    if (file) start(file);
  });
  window.addEventListener("pageshow", (event) => {
    if (event.persisted) finish();
  });
})();
