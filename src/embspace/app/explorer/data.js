// Reads the packed arrays of the page.

async function unpacked() {
  const content = JSON.parse(document.getElementById("explorer-data").textContent);
  const text = atob(document.getElementById("explorer-arrays").textContent.trim());
  const bytes = Uint8Array.from(text, (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  const whole = await new Response(stream).arrayBuffer();
  content.values = content.arrays.map(({ start, length, bytes: size }) =>
    size === 2 ? new Uint16Array(whole, start, length) : new Uint8Array(whole, start, length),
  );
  return content;
}

// Numbers that were packed in steps; NaN where a point has none.
function scaled(content, { array, low, high }) {
  const steps = content.values[array];
  return Float32Array.from(steps, (step) =>
    step === 65535 ? NaN : low + (step / 65534) * (high - low),
  );
}

// Coordinates of a map, in a square from -1 to 1 with the two axes in one scale.
function layoutOf(content, map) {
  const axes = ["x", "y", "z"].filter((axis) => map.axes[axis]);
  const columns = axes.map((axis) => scaled(content, map.axes[axis]));
  const span = Math.max(...axes.map((axis) => map.axes[axis].high - map.axes[axis].low)) || 1;
  const middles = axes.map((axis) => (map.axes[axis].high + map.axes[axis].low) / 2);
  const unit = columns.map((column, k) => column.map((v) => ((v - middles[k]) * 2) / span));
  return { x: unit[0], y: unit[1], z: unit[2] || null, span, middles };
}
