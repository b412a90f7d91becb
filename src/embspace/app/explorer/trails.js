// Draws the paths of a sentence's tokens, up to the layer of the slider.

const DARK = "(prefers-color-scheme: dark)";
// Parts of the ramp whose contrast with the ground is at least 3 to 1.
const ON_LIGHT = [0, 0.58];
const ON_DARK = [0.36, 1];

function startTrails(content, part) {
  const trails = content.trails;
  if (!trails.length) return;
  part("trails-part").hidden = false;
  trails.forEach((trail, i) =>
    part("trail").append(new Option(`“${trail.text}”, ${trail.view.replaceAll("_", " ")}`, i)),
  );
  const canvas = part("trails");
  const paint = () => paintTrail(canvas, trails[part("trail").value], Number(part("layer").value), part);
  const choose = () => {
    const layers = trails[part("trail").value].tokens.flatMap((token) => token.layers);
    part("layer").min = Math.min(...layers);
    part("layer").max = Math.max(...layers);
    part("layer").value = Math.max(...layers);
    paint();
  };
  part("trail").addEventListener("change", choose);
  part("layer").addEventListener("input", paint);
  window.addEventListener("resize", paint);
  matchMedia(DARK).addEventListener("change", paint);
  choose();
}

function paintTrail(canvas, trail, layer, part) {
  part("layer-now").value = layer;
  const ratio = Math.min(window.devicePixelRatio || 1, 2);
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  const style = getComputedStyle(canvas);
  const xs = trail.tokens.flatMap((token) => token.x);
  const ys = trail.tokens.flatMap((token) => token.y);
  const [x0, x1, y0, y1] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const scale = Math.min((width - 120) / (x1 - x0 || 1), (height - 50) / (y1 - y0 || 1));
  const place = (x, y) => [
    width / 2 + (x - (x0 + x1) / 2) * scale, height / 2 - (y - (y0 + y1) / 2) * scale,
  ];
  context.font = "12px system-ui, sans-serif";
  const [least, most] = matchMedia(DARK).matches ? ON_DARK : ON_LIGHT;
  const ends = [];
  trail.tokens.forEach((token, number) => {
    const share = number / Math.max(1, trail.tokens.length - 1);
    const color = `rgb(${rampColor(least + (most - least) * share)})`;
    const seen = token.layers.map((at, i) => [at, i]).filter(([at]) => at <= layer);
    if (!seen.length) return;
    const points = seen.map(([, i]) => place(token.x[i], token.y[i]));
    context.strokeStyle = context.fillStyle = color;
    context.lineWidth = 2;
    context.beginPath();
    points.forEach(([px, py], i) => (i ? context.lineTo(px, py) : context.moveTo(px, py)));
    context.stroke();
    points.forEach(([px, py], i) => {
      context.beginPath();
      context.arc(px, py, i === points.length - 1 ? 4 : 2, 0, 7);
      context.fill();
    });
    ends.push([clipped(token.token), ...points[points.length - 1]]);
  });
  const taken = ends.map(([, px, py]) => [px - 4, py - 4, 8, 8]);
  for (const [text, px, py] of ends) {
    const wide = context.measureText(text).width + 4;
    const sides = [0, 16, -16, 32, -32, 48, -48].flatMap((dy) => [[px + 7, py - 13 + dy, wide, 15], [px - 7 - wide, py - 13 + dy, wide, 15]]);
    const box = freeBox(taken, sides) || sides[0];
    context.strokeStyle = style.color; context.lineWidth = 0.5; context.beginPath();
    context.moveTo(px, py); context.lineTo(box[0] < px ? box[0] + wide : box[0], box[1] + 8); context.stroke();
    writeInBox(context, text, box, style.color, style.backgroundColor);
  }
}
