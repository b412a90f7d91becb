// Finds room for names, so that none lies on another.

// The first of some boxes [left, top, width, height] that meets none of those taken; null without.
function freeBox(taken, boxes) {
  const meets = (a, b) => a[0] < b[0] + b[2] && b[0] < a[0] + a[2] && a[1] < b[1] + b[3] && b[1] < a[1] + a[3];
  const free = boxes.find((box) => !taken.some((other) => meets(box, other)));
  if (free) taken.push(free);
  return free || null;
}

// Writes a text into a box, on a halo of the ground's color.
function writeInBox(context, text, [left, top, , height], front, back) {
  context.textAlign = "left"; context.textBaseline = "middle";
  context.lineWidth = 3; context.lineJoin = "round"; context.strokeStyle = back; context.fillStyle = front;
  context.strokeText(text, left, top + height / 2);
  context.fillText(text, left, top + height / 2);
}

// A share in percent; of a small one the first two digits that are not zero.
function percent(share) {
  const value = 100 * share;
  return `${value > 0 && value < 0.95 ? value.toPrecision(2) : value.toFixed(1)} %`;
}

function shortNumber(value) {
  return Number.isInteger(value) ? String(value) : value.toPrecision(3);
}
