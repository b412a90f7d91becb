// In the map's frame: says how high it is and when it is ready; searches for what it is handed.
(() => {
  "use strict";
  const explorer = document.getElementById("explorer");
  const say = (message) => parent.postMessage(message, "*");
  new ResizeObserver(() => say({ embspaceHeight: document.body.offsetHeight + 8 })).observe(document.body);
  new MutationObserver(() => say({ embspaceReady: true }))
    .observe(explorer, { attributes: true, attributeFilter: ["data-ready"] });
  addEventListener("message", (event) => {
    const asked = event.data && event.data.embspaceSearch;
    if (event.source !== parent || typeof asked !== "string") return;
    const field = explorer.querySelector('[data-ex="search"]');
    field.value = asked.slice(0, 200);
    field.dispatchEvent(new Event("input"));
  });
})();
