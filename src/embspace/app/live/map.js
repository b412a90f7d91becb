// Around the map's frame: gives it its height, and hands it the token that is chosen.
const frame = () => element.querySelector("iframe");
const chosen = () => document.querySelector("#tracked .embspace-token[aria-pressed=true]");
const hand = (button) => {
  if (button && frame()) frame().contentWindow.postMessage({ embspaceSearch: button.textContent }, "*");
};
addEventListener("message", (event) => {
  if (!frame() || event.source !== frame().contentWindow || !event.data) return;
  const height = event.data.embspaceHeight;
  if (Number.isFinite(height)) frame().style.height = `${Math.min(4000, Math.max(400, height))}px`;
  if (event.data.embspaceReady) hand(chosen());
});
document.addEventListener("embspace-chosen", () => hand(chosen()));
