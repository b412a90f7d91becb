// Draws points by WebGL 1, without extensions; null where the browser has none.

const VERTEX = `
attribute vec2 place; attribute vec4 color;
uniform vec2 zoom, shift; uniform float size;
varying vec4 shade;
void main() { shade = color; gl_Position = vec4(place * zoom + shift, 0.0, 1.0);
  gl_PointSize = color.a > 0.0 ? size : 0.0; if (color.a == 0.0) gl_Position = vec4(2.0); }`;
const FRAGMENT = `
precision mediump float; varying vec4 shade;
void main() { vec2 d = gl_PointCoord - 0.5; if (dot(d, d) > 0.25) discard;
  gl_FragColor = vec4(shade.rgb * shade.a, shade.a); }`;

function webglPainter(canvas) {
  const gl = canvas.getContext("webgl", { antialias: false, premultipliedAlpha: true, preserveDrawingBuffer: true });
  if (!gl) return null;
  const program = gl.createProgram();
  for (const [kind, text] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) return null;
  gl.useProgram(program);
  const uniform = (name) => gl.getUniformLocation(program, name);
  const [zoom, shift, size] = ["zoom", "shift", "size"].map(uniform);
  const places = gl.createBuffer();
  const colors = gl.createBuffer();
  let n = 0;
  const put = (buffer, name, values, width, type, isShare) => {
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ARRAY_BUFFER, values, gl.DYNAMIC_DRAW);
    const at = gl.getAttribLocation(program, name);
    gl.enableVertexAttribArray(at);
    gl.vertexAttribPointer(at, width, type, isShare, 0, 0);
  };
  gl.enable(gl.BLEND);
  gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  return {
    name: "WebGL",
    setPlaces(x, y) {
      n = x.length;
      const both = new Float32Array(2 * n);
      for (let i = 0; i < n; i++) { both[2 * i] = x[i]; both[2 * i + 1] = y[i]; }
      put(places, "place", both, 2, gl.FLOAT, false);
    },
    setColors(rgba) { put(colors, "color", rgba, 4, gl.UNSIGNED_BYTE, true); },
    paint(camera, dot) {
      gl.viewport(0, 0, canvas.width, canvas.height);
      gl.clearColor(0, 0, 0, 0);
      gl.clear(gl.COLOR_BUFFER_BIT);
      const unit = (2 * camera.scale) / 1;
      gl.uniform2f(zoom, unit / camera.width, unit / camera.height);
      gl.uniform2f(shift, (-unit * camera.x) / camera.width, (-unit * camera.y) / camera.height);
      gl.uniform1f(size, dot * camera.ratio);
      gl.drawArrays(gl.POINTS, 0, n);
    },
  };
}
