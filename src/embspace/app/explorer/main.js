// Joins the parts: one state, and what a reader's hands do to it.

const MOST_RINGS = 60; // more of them would hide the points; the others are dimmed anyway
const MOST_LISTED = 500;
const N_HITS = 20; // of a search
const N_LISTED = 8; // of neighbors on the map, where none of the full space are held

async function start() {
  const root = document.getElementById("explorer");
  const part = (name) => root.querySelector(`[data-ex="${name}"]`);
  const content = await unpacked();
  const camera = cameraOf(part("stage"), [part("points"), part("overlay")]);
  const painter = webglPainter(part("points")) || canvasPainter(part("points"));
  root.dataset.painter = painter.name;
  const now = { set: null, map: null, layout: null, grid: null, values: null, selected: [], hits: [], hover: -1,
    pinned: -1, lasso: null, names: true, places: [], spin: [0, 0], isLasso: false };
  const front = () => (matchMedia(DARK).matches ? "#eeeeee" : "#000000");
  let asked = false;
  const paint = () => { if (!asked) { asked = true; requestAnimationFrame(() => { asked = false; frame(); }); } };

  function frame() {
    const dot = Math.min(9, Math.max(2.2, 2.2 + Math.log2(camera.scale / 250)) + (now.set.names.length < 6000 ? 2 : 0));
    painter.paint(camera, dot);
    const c = part("overlay").getContext("2d");
    c.setTransform(camera.ratio, 0, 0, camera.ratio, 0, 0);
    c.clearRect(0, 0, camera.width, camera.height);
    const style = getComputedStyle(root);
    const ring = (i, radius, color) => {
      const [px, py] = camera.toScreen(now.layout.x[i], now.layout.y[i]);
      c.strokeStyle = color; c.lineWidth = 2; c.beginPath(); c.arc(px, py, radius, 0, 7); c.stroke();
    };
    for (const i of now.hits) ring(i, 6, "#0072B2");
    if (now.selected.length <= MOST_RINGS) for (const i of now.selected) ring(i, 5, "#D55E00");
    if (now.pinned >= 0) {
      for (const i of inSpace(now.pinned)) {
        c.strokeStyle = "#D55E00"; c.lineWidth = 1; c.beginPath();
        c.moveTo(...camera.toScreen(now.layout.x[now.pinned], now.layout.y[now.pinned]));
        c.lineTo(...camera.toScreen(now.layout.x[i], now.layout.y[i])); c.stroke();
      }
      ring(now.pinned, 7, style.color);
    }
    if (now.hover >= 0) ring(now.hover, 6, style.color);
    c.font = "12px system-ui, sans-serif";
    const taken = [];
    if (now.pinned >= 0) nameBeside(c, now.pinned, taken, style);
    if (now.names) for (const place of now.places) {
      const [px, py] = camera.toScreen(place.x, place.y);
      if (px < 0 || py < 0 || px > camera.width || py > camera.height) continue;
      const width = c.measureText(place.text).width + 6;
      const left = Math.max(2, Math.min(px - width / 2, camera.width - width));
      const box = freeBox(taken, [-8, -26, 10].map((dy) => [left, py + dy, width, 16]));
      if (box) writeInBox(c, place.text, box, style.color, style.backgroundColor);
    }
    if (now.lasso) {
      c.strokeStyle = style.color; c.lineWidth = 1.5; c.beginPath();
      now.lasso.forEach(([x, y], k) => c[k ? "lineTo" : "moveTo"](...camera.toScreen(x, y))); c.stroke();
    }
  }

  function nameBeside(c, i, taken, style) {
    const [px, py] = camera.toScreen(now.layout.x[i], now.layout.y[i]);
    c.font = "600 13px system-ui, sans-serif";
    const text = clipped(now.set.names[i]);
    const width = c.measureText(text).width + 6;
    const left = px + 10 + width > camera.width ? px - 10 - width : px + 10;
    writeInBox(c, text, freeBox(taken, [[left, py - 8, width, 16]]), style.color, style.backgroundColor);
    c.font = "12px system-ui, sans-serif";
  }

  const inSpace = (i) => {
    const held = now.map.neighbors;
    return held ? Array.from(content.values[held.array].subarray(i * held.k, (i + 1) * held.k)) : [];
  };

  // Of each neighbor in the full space, in the order of `inSpace`; null where none are held.
  function cosinesOf(i) {
    const held = now.map.neighbors;
    if (!held || held.cosines === undefined) return null;
    const steps = content.values[held.cosines].subarray(i * held.k, (i + 1) * held.k);
    return Array.from(steps, (step) => (step / 100 - 1).toFixed(2));
  }

  function nearness() {
    const { by, cosine } = now.map.neighbors;
    return `by ${by}${cosine && cosine !== by ? `, with their ${cosine}` : ""}`;
  }

  function chooseSet() {
    now.set = content.sets[part("set").value];
    now.words = wordsOf(content, now.set);
    now.selected = []; now.hits = []; now.pinned = now.hover = -1; now.isShown = null;
    part("map").replaceChildren(...now.set.maps.map((map, i) =>
      new Option(`${map.method}, ${map.variant} (${percent(map.recall)})`, i)));
    part("map").value = now.set.start;
    chooseMap(); showSelected(); search(); part("neighbors").replaceChildren();
  }

  function chooseMap() {
    now.map = now.set.maps[part("map").value];
    now.layout = layoutOf(content, now.map);
    now.flat = now.layout; now.spin = [0, 0];
    place(); truth();
    const was = part("color").value;
    const ways = [...now.set.categories.map((c) => c.name), ...now.set.scalars.map((s) => s.name)];
    if (now.map.neighbors) ways.push("neighbors lost");
    part("color").replaceChildren(...ways.map((name) => new Option(name, name)));
    if (ways.includes(was)) part("color").value = was;
    camera.show(now.layout.x, now.layout.y);
    chooseColor();
    if (now.pinned >= 0) pin(now.pinned);
  }

  const isTurned = () => now.layout !== now.flat;

  function truth() {
    const best = Number(part("map").value) === now.set.start ? "the truest map here" : `the truest is ${now.set.maps[now.set.start].method}, ${now.set.maps[now.set.start].variant}`;
    part("truth").textContent = `${now.map.method}: of the ${now.map.k} nearest neighbors in the full space this map keeps ${percent(now.map.recall)} (a random layout ${percent(now.map.chance)}); trustworthiness ${now.map.trustworthiness.toFixed(2)}, continuity ${now.map.continuity.toFixed(2)}; ${best}.${now.layout.z ? (isTurned() ? " It is turned now: the numbers are of the flat map, as “whole map” shows it." : " Alt and drag turn it in three dimensions.") : ""}`;
  }

  function place() {
    now.grid = gridOf(now.layout.x, now.layout.y, 200);
    now.places = densePlaces(now.layout.x, now.layout.y, now.set.names, 14, now.words);
    // What the canvas shows as letters, for those who do not see it.
    part("overlay").setAttribute("aria-description", `Dense places: ${now.places.map((p) => p.text).join("; ")}`);
    painter.setPlaces(now.layout.x, now.layout.y);
  }

  function chooseColor() {
    const name = part("color").value;
    now.category = now.set.categories.find((c) => c.name === name);
    now.values = null;
    if (!now.category) {
      const scalar = now.set.scalars.find((s) => s.name === name);
      now.values = scalar ? scaled(content, scalar)
        : neighborsLost(gridOf(now.flat.x, now.flat.y, 200), now.flat.x, now.flat.y, content.values[now.map.neighbors.array], now.map.neighbors.k);
      const known = now.values.filter((v) => !Number.isNaN(v));
      now.ends = [known.reduce((a, b) => Math.min(a, b), Infinity), known.reduce((a, b) => Math.max(a, b), -Infinity)];
    }
    part("low").value = 0; part("high").value = 1000;
    part("histogram-part").hidden = !now.values;
    legend(); shade();
  }

  const limits = () => ["low", "high"].map((end) => now.ends[0] + (part(end).value / 1000) * (now.ends[1] - now.ends[0]));

  function shade() {
    const n = now.set.names.length;
    const rgba = new Uint8Array(4 * n);
    const isSelected = now.selected.length ? new Uint8Array(n) : null;
    for (const i of now.selected) isSelected[i] = 1;
    const [low, high] = now.values ? limits() : [0, 0];
    const colors = now.category && now.category.colors.map((c) => hexColor(c, front()));
    now.isShown = new Uint8Array(n);
    for (let i = 0; i < n; i++) {
      const v = now.values && now.values[i];
      const isAll = part("low").value === "0" && part("high").value === "1000";
      now.isShown[i] = !now.values || (v >= low && v <= high) || (isAll && Number.isNaN(v));
      const color = now.values
        ? Number.isNaN(v) ? [140, 140, 140] : rampColor((v - now.ends[0]) / (now.ends[1] - now.ends[0] || 1))
        : colors[content.values[now.category.array][i]];
      const alpha = !isSelected ? 190 : isSelected[i] ? 255 : 40;
      rgba.set([...color, now.isShown[i] ? alpha : 0], 4 * i);
    }
    painter.setColors(rgba);
    if (now.values) histogram(low, high);
    paint();
  }

  function histogram(low, high) {
    const c = part("histogram").getContext("2d");
    const bins = new Float64Array(52);
    const at = (v) => Math.min(51, Math.floor((52 * (v - now.ends[0])) / (now.ends[1] - now.ends[0] || 1)));
    for (const v of now.values) if (!Number.isNaN(v)) bins[at(v)]++;
    const top = Math.max(...bins);
    c.clearRect(0, 0, 260, 60);
    bins.forEach((count, b) => {
      const v = now.ends[0] + ((b + 0.5) / 52) * (now.ends[1] - now.ends[0]);
      c.fillStyle = v >= low && v <= high ? `rgb(${rampColor((b + 0.5) / 52)})` : "#999";
      c.fillRect(5 * b, 60 - (58 * count) / top, 4, (58 * count) / top);
    });
    const n = now.isShown.reduce((a, b) => a + b, 0);
    part("range").textContent = `${shortNumber(low)} to ${shortNumber(high)}: ${n.toLocaleString("en")} points`;
  }

  function legend() {
    const items = now.category
      ? now.category.labels.map((label, k) => {
          const item = element("span"); const dot = element("i");
          dot.style.background = `rgb(${hexColor(now.category.colors[k], front())})`;
          item.append(dot, label); return item;
        })
      : [ramp(), ...(now.values.some(Number.isNaN) ? [element("span", "gray: not measured")] : [])];
    part("legend").replaceChildren(...items);
  }

  function ramp() {
    const made = element("span"); const bar = element("i", "", "ex-ramp");
    bar.style.background = `linear-gradient(to right, ${RAMP.map((c) => `rgb(${c})`)})`;
    made.append(`${part("color").value}: ${shortNumber(now.ends[0])}`, bar, shortNumber(now.ends[1]));
    return made;
  }

  function pin(i) {
    now.pinned = i;
    const onMap = nearestOnMap(now.grid, now.layout.x, now.layout.y, now.layout.x[i], now.layout.y[i], now.map.neighbors ? now.map.neighbors.k : N_LISTED, i);
    const full = inSpace(i);
    const lists = [element("p", now.set.names[i])];
    lists[0].dir = "auto";
    lists.push(full.length
      ? listOf(`nearest in the full space, ${nearness()} (†: not among those on the map)`, full, now.set.names, fromList(pin), (j) => !onMap.includes(j), cosinesOf(i))
      : element("p", "No neighbors in the full space are stored for these points."));
    lists.push(listOf(`nearest on the map${isTurned() ? ", turned as it is now" : ""} (†: not among those in the full space)`, onMap, now.set.names, fromList(pin), full.length ? (j) => !full.includes(j) : null));
    lists[0].className = "ex-pinned";
    part("neighbors").replaceChildren(...lists);
    paint();
  }

  function search() {
    const text = part("search").value.toLowerCase();
    const hits = [];
    now.hits = [];
    paint();
    if (!text) return part("found").replaceChildren();
    now.set.names.forEach((name, i) => { const at = name.toLowerCase().indexOf(text); if (at >= 0) hits.push([name.length === text.length ? -1 : at, name.length, i]); });
    hits.sort((a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]);
    now.hits = hits.slice(0, N_HITS).map((h) => h[2]);
    const title = `${hits.length} found${hits.length > N_HITS ? `, of which ${N_HITS} are listed and ringed` : ""}`;
    part("found").replaceChildren(listOf(title, now.hits, now.set.names, fromList(goTo)));
  }

  // After a choice from a list, the wheel and the keys are the map's.
  const fromList = (act) => (i) => { act(i); part("overlay").focus({ preventScroll: true }); };

  function goTo(i) {
    camera.x = now.layout.x[i]; camera.y = now.layout.y[i];
    camera.scale = Math.max(camera.scale, 4 * camera.whole);
    pin(i);
  }

  function showSelected() {
    part("selected-part").hidden = !now.selected.length;
    part("count").textContent = `${now.selected.length} selected`;
    part("selected").replaceChildren(listOf(now.selected.length > MOST_LISTED ? `the first ${MOST_LISTED}; copy and CSV have all` : "", now.selected.slice(0, MOST_LISTED), now.set.names, fromList(pin)));
    const typical = now.words && now.selected.length ? typicalWords(now.words, [now.selected], 8)[0] : [];
    part("selected").prepend(...(typical.length ? [element("p", `typical words: ${typical.join(", ")}`)] : []));
    if (now.isShown) shade();
  }

  // The coordinates of the map as it was computed, whichever way it is turned.
  const rowOf = (i) => {
    const { x, y, span, middles } = now.flat;
    return [now.set.names[i], ...[x[i], y[i]].map((v, k) => Number(((v * span) / 2 + middles[k]).toPrecision(6)))];
  };

  function endLasso() {
    const polygon = now.lasso;
    now.lasso = null;
    now.selected = [];
    for (let i = 0; i < now.set.names.length; i++)
      if (now.isShown[i] && isInside(now.layout.x[i], now.layout.y[i], polygon)) now.selected.push(i);
    setLasso(false); showSelected();
  }

  function setLasso(isOn) { now.isLasso = isOn; root.toggleAttribute("data-lasso", isOn); part("lasso").setAttribute("aria-pressed", isOn); }
  function setNames() { now.names = !now.names; part("names").setAttribute("aria-pressed", now.names); paint(); }
  function whole() {
    if (isTurned()) { now.spin = [0, 0]; now.layout = now.flat; place(); truth(); if (now.pinned >= 0) pin(now.pinned); }
    camera.show(now.layout.x, now.layout.y); paint();
  }

  function turn(dx, dy) {
    now.spin[0] += dx / 150; now.spin[1] += dy / 150;
    const [ca, sa, cb, sb] = [Math.cos(now.spin[0]), Math.sin(now.spin[0]), Math.cos(now.spin[1]), Math.sin(now.spin[1])];
    const { x, y, z } = now.flat;
    const side = x.map((v, i) => v * ca + z[i] * sa);
    const wasFlat = !isTurned();
    now.layout = { ...now.flat, x: side, y: y.map((v, i) => v * cb - (z[i] * ca - x[i] * sa) * sb) };
    place();
    if (wasFlat) truth();
    if (now.pinned >= 0) pin(now.pinned);
    paint();
  }

  function listen() {
    const overlay = part("overlay");
    let last = null; let moved = 0;
    const at = (e) => { const box = overlay.getBoundingClientRect(); return [e.clientX - box.left, e.clientY - box.top]; };
    overlay.addEventListener("pointerdown", (e) => {
      overlay.setPointerCapture(e.pointerId); last = at(e); moved = 0;
      if (now.isLasso || e.shiftKey) now.lasso = [camera.toMap(...last)];
    });
    overlay.addEventListener("pointermove", (e) => {
      const p = at(e);
      if (last) {
        const [dx, dy] = [p[0] - last[0], p[1] - last[1]];
        moved += Math.abs(dx) + Math.abs(dy);
        if (now.lasso) now.lasso.push(camera.toMap(...p));
        else if (e.altKey && now.flat.z) turn(dx, dy);
        else camera.move(dx, dy);
        last = p;
      } else hover(p);
      paint();
    });
    overlay.addEventListener("pointerup", () => {
      if (now.lasso) endLasso(); else if (last && moved < 4) { const i = under(last); if (i >= 0) pin(i); }
      last = null;
    });
    overlay.addEventListener("pointercancel", () => { last = now.lasso = null; paint(); });
    overlay.addEventListener("wheel", (e) => {
      // A reader who scrolls past the map is not held there: the wheel is the map's once it was clicked.
      if (document.activeElement !== overlay && !e.ctrlKey) return;
      e.preventDefault(); camera.zoomAt(...at(e), Math.exp(-e.deltaY / 400)); paint();
    }, { passive: false });
    overlay.addEventListener("keydown", (e) => {
      const keys = { ArrowLeft: () => camera.move(40, 0), ArrowRight: () => camera.move(-40, 0), ArrowUp: () => camera.move(0, 40), ArrowDown: () => camera.move(0, -40),
        "+": () => camera.zoomAt(camera.width / 2, camera.height / 2, 1.3), "-": () => camera.zoomAt(camera.width / 2, camera.height / 2, 1 / 1.3),
        l: () => setLasso(!now.isLasso), n: setNames, 0: whole, Escape: () => { now.selected = []; now.pinned = -1; showSelected(); } };
      if (keys[e.key] && !e.ctrlKey && !e.metaKey) { e.preventDefault(); keys[e.key](); paint(); }
    });
  }

  function under(p) {
    const [x, y] = camera.toMap(...p);
    const near = nearestOnMap(now.grid, now.layout.x, now.layout.y, x, y, 8, -1);
    const i = near.find((j) => now.isShown[j]);
    if (i === undefined) return -1;
    const [px, py] = camera.toScreen(now.layout.x[i], now.layout.y[i]);
    return Math.hypot(px - p[0], py - p[1]) < 12 ? i : -1;
  }

  function hover(p) {
    now.hover = under(p);
    const tip = part("tip");
    tip.hidden = now.hover < 0;
    if (tip.hidden) return;
    tip.textContent = now.set.names[now.hover]; tip.dir = "auto";
    tip.style.left = `${Math.min(p[0] + 12, camera.width - 120)}px`; tip.style.top = `${p[1] + 12}px`;
  }

  part("set").append(...content.sets.map((set, i) => new Option(`${set.title} (${set.names.length.toLocaleString("en")})`, i)));
  part("set").addEventListener("change", chooseSet);
  part("map").addEventListener("change", chooseMap);
  part("color").addEventListener("change", chooseColor);
  part("search").addEventListener("input", search);
  part("search").addEventListener("keydown", (e) => { if (e.key === "Enter" && !e.isComposing && now.hits.length) { e.preventDefault(); fromList(goTo)(now.hits[0]); } });
  for (const end of ["low", "high"]) part(end).addEventListener("input", shade);
  part("lasso").addEventListener("click", () => setLasso(!now.isLasso));
  part("names").addEventListener("click", setNames);
  part("reset").addEventListener("click", whole);
  part("clear").addEventListener("click", () => { now.selected = []; showSelected(); });
  part("copy").addEventListener("click", () => copied(now.selected.map((i) => now.set.names[i]).join("\n")));
  part("csv").addEventListener("click", () => download(asCsv(["name", "x", "y"], now.selected.map(rowOf)), `${content.model}_selected.csv`));
  matchMedia(DARK).addEventListener("change", () => { legend(); shade(); });
  window.addEventListener("resize", () => { camera.fit(); paint(); });
  camera.fit(); chooseSet(); listen();
  startTrails(content, part);
  startLayers(content, part);
  root.dataset.ready = Math.round(performance.now());
}

start();
