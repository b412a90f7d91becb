// Writes lists of points; a name is always text, never markup.

function element(tag, text, name) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (name) made.className = name;
  return made;
}

// `beside` are texts after the names, such as cosines.
function listOf(title, points, names, onClick, isMarked, beside) {
  const list = element("ul");
  for (const [place, i] of points.entries()) {
    const button = element("button", names[i], isMarked && isMarked(i) ? "ex-lost" : "");
    button.type = "button";
    button.dir = "auto";
    button.addEventListener("click", () => onClick(i));
    const item = element("li");
    item.append(button);
    if (beside) item.append(element("span", beside[place], "ex-beside"));
    list.append(item);
  }
  const whole = element("div");
  whole.append(element("b", title), list);
  return whole;
}

// One quoted cell of a CSV; a cell that a spreadsheet would compute begins with an apostrophe.
function cell(value) {
  const text = String(value);
  return `"${(/^[=+\-@\t\r]/.test(text) && Number.isNaN(Number(text)) ? "'" : "") + text.replaceAll('"', '""')}"`;
}

function asCsv(columns, rows) {
  return [columns, ...rows].map((row) => row.map(cell).join(",")).join("\r\n") + "\r\n";
}

function download(text, name) {
  const link = element("a");
  link.href = URL.createObjectURL(new Blob(["\ufeff", text], { type: "text/csv" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = element("textarea", text);
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}

// Colors from dark to light that people with any color vision can order.
const RAMP = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]];

function rampColor(share) {
  const at = Math.min(3.9999, Math.max(0, share * 4));
  const [a, b] = [RAMP[Math.floor(at)], RAMP[Math.floor(at) + 1]];
  return a.map((v, k) => Math.round(v + (b[k] - v) * (at % 1)));
}

function hexColor(hex, front) {
  const dark = hex.toLowerCase() === "#000000"; // black is what the page writes in
  const value = dark ? front : hex;
  return [1, 3, 5].map((k) => parseInt(value.slice(k, k + 2), 16));
}
