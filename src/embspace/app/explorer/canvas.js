// Draws the same points without WebGL: squares, painted color by color.

function canvasPainter(canvas) {
  const context = canvas.getContext("2d");
  let x = [];
  let y = [];
  let groups = new Map();
  return {
    name: "canvas",
    setPlaces(newX, newY) { x = newX; y = newY; },
    setColors(rgba) {
      groups = new Map();
      for (let i = 0; i < rgba.length / 4; i++) {
        const [r, g, b, a] = rgba.subarray(4 * i, 4 * i + 4);
        if (!a) continue;
        const key = `rgba(${r},${g},${b},${(a / 255).toFixed(2)})`;
        if (!groups.has(key)) groups.set(key, []);
        groups.get(key).push(i);
      }
    },
    paint(camera, dot) {
      context.setTransform(camera.ratio, 0, 0, camera.ratio, 0, 0);
      context.clearRect(0, 0, camera.width, camera.height);
      for (const [color, members] of groups) {
        context.fillStyle = color;
        for (const i of members) {
          const px = (x[i] - camera.x) * camera.scale + camera.width / 2;
          const py = camera.height / 2 - (y[i] - camera.y) * camera.scale;
          if (px > -dot && py > -dot && px < camera.width + dot && py < camera.height + dot)
            context.fillRect(px - dot / 2, py - dot / 2, dot, dot);
        }
      }
    },
  };
}
