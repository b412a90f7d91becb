// Finds what lies where on a map.

// A grid over the points: the points of each cell, one after the other.
function gridOf(x, y, side) {
  const n = x.length;
  const cell = (v) => Math.min(side - 1, Math.max(0, Math.floor(((v + 1) / 2) * side)));
  const of = new Uint32Array(n);
  const start = new Uint32Array(side * side + 1);
  for (let i = 0; i < n; i++) {
    of[i] = cell(y[i]) * side + cell(x[i]);
    start[of[i] + 1]++;
  }
  for (let c = 0; c < side * side; c++) start[c + 1] += start[c];
  const next = start.slice();
  const points = new Uint32Array(n);
  for (let i = 0; i < n; i++) points[next[of[i]]++] = i;
  return { side, start, points, cell };
}

// The k points nearest to (px, py) on the map, without the point `self`.
function nearestOnMap(grid, x, y, px, py, k, self) {
  const best = [];
  const col = grid.cell(px);
  const row = grid.cell(py);
  const width = 2 / grid.side;
  for (let ring = 0; ring < grid.side; ring++) {
    // A point in this ring or a later one is at least (ring - 1) cells away.
    if (best.length === k && ((ring - 1) * width) ** 2 > best[k - 1][0] && ring > 1) break;
    for (let r = row - ring; r <= row + ring; r++) {
      if (r < 0 || r >= grid.side) continue;
      const step = Math.abs(r - row) === ring ? 1 : 2 * ring || 1;
      for (let c = col - ring; c <= col + ring; c += step) {
        if (c < 0 || c >= grid.side) continue;
        const at = r * grid.side + c;
        for (let j = grid.start[at]; j < grid.start[at + 1]; j++) {
          const i = grid.points[j];
          if (i === self) continue;
          const d = (x[i] - px) ** 2 + (y[i] - py) ** 2;
          if (best.length === k && d >= best[k - 1][0]) continue;
          let place = best.length;
          while (place > 0 && best[place - 1][0] > d) place--;
          best.splice(place, 0, [d, i]);
          if (best.length > k) best.pop();
        }
      }
    }
  }
  return best.map((pair) => pair[1]);
}

// Of each point, how many of its nearest in the full space are not among as many on the map.
function neighborsLost(grid, x, y, neighbors, k) {
  const lost = new Float32Array(x.length);
  for (let i = 0; i < x.length; i++) {
    const near = nearestOnMap(grid, x, y, x[i], y[i], k, i);
    let kept = 0;
    for (let j = 0; j < k; j++) if (near.includes(neighbors[i * k + j])) kept++;
    lost[i] = k - kept;
  }
  return lost;
}

function isInside(px, py, polygon) {
  let inside = false;
  for (let i = 0, j = polygon.length - 1; i < polygon.length; j = i++) {
    const [ax, ay] = polygon[i];
    const [bx, by] = polygon[j];
    if (ay > py !== by > py && px < ((bx - ax) * (py - ay)) / (by - ay) + ax) inside = !inside;
  }
  return inside;
}

// Names of the densest places: where points have words the most typical three of the texts there,
// else the two points nearest to the middle of each, its medoids.
function densePlaces(x, y, names, most, words) {
  const side = 32;
  const grid = gridOf(x, y, side);
  const count = (c) => grid.start[c + 1] - grid.start[c];
  const order = [...Array(side * side).keys()].filter((c) => count(c) >= 5);
  order.sort((a, b) => count(b) - count(a) || a - b);
  const taken = [];
  for (const c of order) {
    const col = c % side;
    const row = Math.floor(c / side);
    if (taken.some((t) => Math.abs(t.col - col) < 4 && Math.abs(t.row - row) < 3)) continue;
    const members = Array.from(grid.points.subarray(grid.start[c], grid.start[c + 1]));
    const mx = members.reduce((sum, i) => sum + x[i], 0) / members.length;
    const my = members.reduce((sum, i) => sum + y[i], 0) / members.length;
    const [first, second] = nearestOnMap(grid, x, y, mx, my, 2, -1);
    taken.push({ col, row, x: mx, y: my, text: `${clipped(names[first])}, ${clipped(names[second])}` });
    if (taken.length === most) break;
  }
  if (!words) return taken;
  const typical = typicalWords(words, taken.map((place) => around(grid, place)), 3);
  taken.forEach((place, k) => { if (typical[k].length) place.text = typical[k].map(clipped).join(", "); });
  return taken;
}

// The points in the cell of a place and in those around it; no two places share one.
function around(grid, { row, col }) {
  const found = [];
  for (let r = Math.max(0, row - 1); r <= Math.min(grid.side - 1, row + 1); r++)
    for (let c = Math.max(0, col - 1); c <= Math.min(grid.side - 1, col + 1); c++) {
      const at = r * grid.side + c;
      found.push(...grid.points.subarray(grid.start[at], grid.start[at + 1]));
    }
  return found;
}

// A name on one line, short enough for a label, isolated from the direction of what follows.
function clipped(name) {
  const letters = Array.from(name.replace(/\s+/g, " "));
  return "\u2068" + (letters.length > 18 ? letters.slice(0, 17).join("") + "…" : letters.join("")) + "\u2069";
}
