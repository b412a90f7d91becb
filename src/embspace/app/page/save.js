// Saves a figure that the page holds as SVG, where the page is alone and no file lies beside it.
const SVG = "data:image/svg+xml,";
for (const image of document.querySelectorAll("section.part > figure > img")) {
  const address = image.getAttribute("src");
  if (!address.startsWith(SVG)) continue;
  const button = document.createElement("button");
  const section = image.closest("section");
  button.type = "button";
  button.className = "save";
  button.textContent = "Save SVG";
  button.setAttribute("aria-label", `Save as SVG: ${section.querySelector("h2").textContent}`);
  button.addEventListener("click", () => {
    const text = decodeURIComponent(address.slice(SVG.length));
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
    link.download = `${section.id}.svg`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  });
  image.parentElement.after(button);
}
