// Tells the server which token was chosen, and gives its button the focus back.
let chosen = null;
element.addEventListener("click", (event) => {
  const target = event.target.closest("[data-position]");
  if (!target) return;
  chosen = target.dataset.position;
  trigger("click", { position: Number(chosen) });
});
watch("value", () => {
  const button = element.querySelector(`button[data-position="${chosen}"]`);
  if (button && chosen !== null) button.focus();
});
