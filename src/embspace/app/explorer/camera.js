// What part of the map is seen: its middle, and pixels a unit.

function cameraOf(stage, canvases) {
  const camera = { x: 0, y: 0, scale: 1, whole: 1, width: 1, height: 1, ratio: 1 };
  camera.fit = () => {
    camera.ratio = Math.min(window.devicePixelRatio || 1, 2);
    camera.width = stage.clientWidth;
    camera.height = stage.clientHeight;
    for (const canvas of canvases) {
      canvas.width = Math.round(camera.width * camera.ratio);
      canvas.height = Math.round(camera.height * camera.ratio);
    }
  };
  camera.show = (x, y) => {
    // The middle 99.6 % of the points, so that a few far ones do not make the rest small.
    const ends = [x, y].map((v) => {
      const sorted = Float32Array.from(v).sort();
      const cut = Math.floor(0.002 * sorted.length);
      return [sorted[cut], sorted[sorted.length - 1 - cut]];
    });
    [camera.x, camera.y] = ends.map(([low, high]) => (low + high) / 2);
    const spans = ends.map(([low, high]) => high - low || 1);
    camera.scale = camera.whole = 0.92 * Math.min(camera.width / spans[0], camera.height / spans[1]);
  };
  camera.toScreen = (x, y) => [
    (x - camera.x) * camera.scale + camera.width / 2,
    camera.height / 2 - (y - camera.y) * camera.scale,
  ];
  camera.toMap = (px, py) => [
    (px - camera.width / 2) / camera.scale + camera.x,
    (camera.height / 2 - py) / camera.scale + camera.y,
  ];
  camera.zoomAt = (px, py, factor) => {
    const [x, y] = camera.toMap(px, py);
    camera.scale = Math.min(1e6, Math.max(20, camera.scale * factor));
    const [nx, ny] = camera.toMap(px, py);
    camera.x += x - nx;
    camera.y += y - ny;
  };
  camera.move = (dx, dy) => {
    camera.x -= dx / camera.scale;
    camera.y += dy / camera.scale;
  };
  return camera;
}
