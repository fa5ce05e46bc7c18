"use strict";
// Walks through the execution: one row at a time is selected, and what is said about it is shown beside the diagram.
(() => {
  const diagram = document.getElementById("diagram");
  for (const button of document.querySelectorAll("[data-copy]")) {
    button.addEventListener("click", () => {
      const text = button.previousElementSibling.textContent;
      navigator.clipboard?.writeText(text).then(() => { button.textContent = "Copied"; }, () => {});
    });
  }
  if (!diagram) return;

  const rows = [...diagram.querySelectorAll("[data-row]")];
  const edges = [...diagram.querySelectorAll(".edge")];
  let selected = -1;

  function select(number, focus) {
    const row = rows[number];
    if (!row) return;
    if (selected >= 0) {
      rows[selected].classList.remove("selected");
      rows[selected].setAttribute("aria-selected", "false");
      rows[selected].tabIndex = -1;
      document.getElementById(`step-${selected}`).hidden = true;
    }
    selected = number;
    document.getElementById("hint").hidden = true;
    document.getElementById(`step-${number}`).hidden = false;
    row.classList.add("selected");
    row.setAttribute("aria-selected", "true");
    row.tabIndex = 0;
    for (const edge of edges) {
      edge.classList.toggle("near", edge.dataset.from === String(number) || edge.dataset.to === String(number));
    }
    if (focus) {
      row.focus({ preventScroll: true });
      row.scrollIntoView({ block: "nearest", inline: "nearest" });
    }
  }

  const steps = {
    first: () => 0,
    back: () => Math.max(selected - 1, 0),
    on: () => Math.min(selected + 1, rows.length - 1),
    last: () => rows.length - 1,
  };
  const keys = {
    ArrowDown: "on", ArrowRight: "on", ArrowUp: "back", ArrowLeft: "back", Home: "first", End: "last",
  };

  diagram.addEventListener("keydown", (event) => {
    const step = keys[event.key];
    if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    select(steps[step](), true);
  });
  diagram.addEventListener("click", (event) => {
    const row = event.target.closest("[data-row]");
    if (row) select(Number(row.dataset.row), true);
  });
  document.addEventListener("click", (event) => {
    const link = event.target.closest("[data-goto]");
    if (link) {
      event.preventDefault();
      select(Number(link.dataset.goto), true);
    }
    const button = event.target.closest("[data-step]");
    if (button) select(steps[button.dataset.step](), false);
  });
  for (const box of document.querySelectorAll("[data-relation]")) {
    const show = () => diagram.classList.toggle(`show-${box.dataset.relation}`, box.checked);
    box.addEventListener("change", show);
    show(); // Browsers remember boxes when a page is loaded again.
  }
  // Until a row is selected, the first one is where the Tab key leads to.
  if (rows.length > 0) rows[0].tabIndex = 0;
})();
