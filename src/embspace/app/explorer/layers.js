// Moves tokens from the map of one layer to that of the next, as the slider goes.

const LAYER_MOVE_MS = 450;

function startLayers(content, part) {
  const maps = content.layers;
  if (!maps) return;
  part("layers-part").hidden = false;
  const decoded = maps.layers.map((each) => ({
    x: scaled(content, each.x), y: scaled(content, each.y),
    changed: each.changed.map((number) => content.values[number]),
  }));
  const canvases = [part("layers-points"), part("layers-overlay")];
  const camera = cameraOf(part("layers-stage"), canvases);
  const painter = webglPainter(canvases[0]) || canvasPainter(canvases[0]);
  const slider = part("layers-at");
  const n = maps.names.length;
  const now = { at: 0, x: new Float32Array(n), y: new Float32Array(n), colored: "", hover: -1, goal: null, asked: false };
  const isStill = matchMedia("(prefers-reduced-motion: reduce)");

  function paint() {
    if (now.asked) return;
    now.asked = true;
    requestAnimationFrame(() => { now.asked = false; frame(); });
  }

  function frame() {
    const low = Math.min(Math.floor(now.at), decoded.length - 1);
    const [from, to] = [decoded[low], decoded[Math.min(low + 1, decoded.length - 1)]];
    const share = now.at - low;
    for (let i = 0; i < n; i++) {
      now.x[i] = from.x[i] + share * (to.x[i] - from.x[i]);
      now.y[i] = from.y[i] + share * (to.y[i] - from.y[i]);
    }
    painter.setPlaces(now.x, now.y);
    shade();
    name();
    painter.paint(camera, 4);
    drawPath();
  }

  // On the way to a layer its colors: they say which neighbors change on this way.
  const shown = () => Math.min(Math.ceil(now.at - 1e-6), decoded.length - 1);

  function name() {
    const number = maps.layers[shown()].layer;
    const isBetween = Math.abs(now.at - Math.round(now.at)) > 1e-6;
    part("layers-now").value = isBetween ? `${maps.layers[shown() - 1].layer} → ${number}` : number;
    slider.setAttribute("aria-valuetext", isBetween ? `on the way to layer ${number}` : `layer ${number}`);
  }

  function shade() {
    const [layer, kind] = [shown(), Number(part("layers-color").value)];
    if (now.colored === `${layer} ${kind}`) return;
    now.colored = `${layer} ${kind}`;
    const rgba = new Uint8Array(4 * n);
    decoded[layer].changed[kind].forEach((count, i) =>
      rgba.set([...(count === 255 ? [140, 140, 140] : rampColor(count / maps.k)), 210], 4 * i));
    painter.setColors(rgba);
    tell(layer);
  }

  function tell(layer) {
    const { layer: number, means, recall, untrained } = maps.layers[layer];
    const beside = untrained === null ? "" : ` (random weights: ${percent(untrained)})`;
    const [space, onMap, seed] = means.map((mean) => (mean === null ? null : percent(mean)));
    const bar = element("i", "", "ex-ramp");
    bar.style.background = `linear-gradient(to right, ${RAMP.map((c) => `rgb(${c})`)})`;
    const ramp = element("span", "new neighbors: 0 %");
    ramp.append(bar, "100 %");
    const level = space === null
      ? `layer ${number}: there is none before it`
      : `layer ${number}: ${space} new in the full space${beside}, ${onMap} on the map`;
    part("layers-legend").replaceChildren(ramp, element("span", level),
      element("span", `another seed of this map alone changes ${seed}`),
      element("span", `random neighbors: ${percent(maps.chance)}`),
      element("span", `this map keeps ${percent(recall)} of the ${maps.k} nearest`));
  }

  function drawPath() {
    const c = part("layers-overlay").getContext("2d");
    c.setTransform(camera.ratio, 0, 0, camera.ratio, 0, 0);
    c.clearRect(0, 0, camera.width, camera.height);
    if (now.hover < 0) return;
    c.strokeStyle = getComputedStyle(part("layers-stage")).color;
    c.lineWidth = 1.5; c.beginPath();
    decoded.forEach(({ x, y }, k) => c[k ? "lineTo" : "moveTo"](...camera.toScreen(x[now.hover], y[now.hover])));
    c.stroke(); c.beginPath();
    c.arc(...camera.toScreen(now.x[now.hover], now.y[now.hover]), 6, 0, 7); c.stroke();
  }

  function goTo(layer) {
    const goal = Math.min(Math.max(layer, 0), decoded.length - 1);
    const from = now.at;
    now.goal = goal;
    const start = performance.now();
    const step = (time) => {
      if (now.goal !== goal) return; // another key came, or a drag
      const share = isStill.matches ? 1 : Math.min(1, Math.max(0, (time - start) / LAYER_MOVE_MS));
      now.at = from + share * (goal - from);
      slider.value = now.at;
      frame();
      if (share < 1) requestAnimationFrame(step); else now.goal = null;
    };
    requestAnimationFrame(step);
  }

  function hover(event) {
    const box = part("layers-overlay").getBoundingClientRect();
    const [px, py] = [event.clientX - box.left, event.clientY - box.top];
    const [mx, my] = camera.toMap(px, py);
    let best = (10 / camera.scale) ** 2;
    now.hover = -1;
    for (let i = 0; i < n; i++) {
      const d = (now.x[i] - mx) ** 2 + (now.y[i] - my) ** 2;
      if (d < best) { best = d; now.hover = i; }
    }
    const tip = part("layers-tip");
    tip.hidden = now.hover < 0;
    if (now.hover >= 0) {
      tip.textContent = maps.names[now.hover]; tip.dir = "auto";
      tip.style.left = `${Math.min(px + 12, camera.width - 120)}px`; tip.style.top = `${py + 12}px`;
    }
    paint();
  }

  function whole() {
    camera.fit();
    const all = (axis) => Float32Array.from(decoded.flatMap((each) => Array.from(each[axis])));
    camera.show(all("x"), all("y"));
    paint();
  }

  slider.max = decoded.length - 1;
  part("layers-color").append(...maps.colors.map((name, i) => new Option(name, i)));
  part("layers-color").addEventListener("change", paint);
  slider.addEventListener("input", () => { now.goal = null; now.at = Number(slider.value); paint(); });
  slider.addEventListener("keydown", (event) => {
    const at = now.goal === null ? now.at : now.goal;
    const keys = { ArrowRight: Math.floor(at + 1e-6) + 1, ArrowUp: Math.floor(at + 1e-6) + 1,
      ArrowLeft: Math.ceil(at - 1e-6) - 1, ArrowDown: Math.ceil(at - 1e-6) - 1,
      Home: 0, End: decoded.length - 1 };
    if (!(event.key in keys) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    goTo(keys[event.key]);
  });
  part("layers-overlay").addEventListener("pointermove", hover);
  part("layers-overlay").addEventListener("pointerleave", () => { now.hover = -1; part("layers-tip").hidden = true; paint(); });
  window.addEventListener("resize", whole);
  now.at = Math.min(1, decoded.length - 1);
  slider.value = now.at;
  whole();
}
