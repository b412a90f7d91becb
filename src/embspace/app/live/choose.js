// Shows a token as chosen: its button, its lines on top of the others, its table. All of it is in
// the page, so that a choice asks nothing of the server. Of other words the second token is chosen, the
// first one after [CLS]; the map hears of it.
let text = null, chosen = null;
const show = () => {
  const buttons = [...element.querySelectorAll(".embspace-token")];
  if (!buttons.length) return;
  const words = buttons.map((button) => button.textContent).join("\n");
  if (words !== text) [text, chosen] = [words, buttons[Math.min(1, buttons.length - 1)].dataset.position];
  for (const button of buttons) {
    const isChosen = button.dataset.position === chosen;
    button.setAttribute("aria-pressed", isChosen);
    if (isChosen) element.querySelector(".embspace-chosen").innerHTML = button.dataset.table;
  }
  for (const line of element.querySelectorAll(".embspace-line")) {
    line.classList.toggle("chosen", line.dataset.position === chosen);
  }
  for (const line of element.querySelectorAll(".embspace-line.chosen")) line.parentNode.append(line);
  document.dispatchEvent(new Event("embspace-chosen"));
};
element.addEventListener("click", (event) => {
  const target = event.target.closest("[data-position]");
  if (!target) return;
  chosen = target.dataset.position;
  show();
});
watch("value", show);
