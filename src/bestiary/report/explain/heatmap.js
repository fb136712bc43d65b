// One side of a layer as a heat map on a canvas: a line a channel, a column a row of the program.
const LINE = 18;
// Upright texts of neighbouring columns stand as close as the columns.
const font = (cell) => `${Math.min(11, Math.max(9, cell - 2))}px system-ui, sans-serif`;

function paints() {
  const found = {};
  for (const part of document.getElementById("paints").children) {
    found[part.className] = getComputedStyle(part).color.match(/[\d.]+/g).map(Number);
  }
  return found;
}

const css = ([r, g, b], alpha = 1) => `rgba(${r},${g},${b},${alpha})`;

// Towards one colour above 0, the other below; small numbers are kept apart from 0 by the root.
function shade(value, largest, paint) {
  const part = largest > 0 ? Math.min(1, Math.abs(value) / largest) ** 0.75 : 0;
  const to = value < 0 ? paint.below : paint.above;
  return css(paint.ground.map((from, i) => Math.round(from + (to[i] - from) * part)));
}

// How high the heads of columns have to be, and whether their texts stand upright.
function heads(columns, cell) {
  const context = document.createElement("canvas").getContext("2d");
  context.font = font(cell);
  const widest = (of) => Math.max(0, ...columns.map((c) => context.measureText(of(c)).width));
  const mark = widest((c) => c.mark), token = widest((c) => c.token);
  const upright = Math.max(mark, token) > cell - 2;
  const markHigh = mark ? (upright ? mark + 6 : 15) : 0;
  return { upright, markHigh, height: Math.ceil(markHigh + (upright ? token + 6 : 15)) };
}

function drawHeads(context, columns, cell, head, paint) {
  context.font = font(cell);
  context.textAlign = "center";
  context.textBaseline = "middle";
  columns.forEach((column, i) => {
    const x = (i + 0.5) * cell;
    const tokenMiddle = (head.markHigh + head.height) / 2;
    for (const [text, y, colour] of [
      [column.mark, head.markHigh / 2, paint.faint],
      [column.token, tokenMiddle, column.frame ? paint.ink : paint.faint],
    ]) {
      if (!text) continue;
      // Texts of all columns would overlap where columns are narrow.
      const near = columns[i - 1]?.frame || columns[i + 1]?.frame;
      if (head.upright && cell < 11 && !column.frame && (near || i % 2)) continue;
      context.fillStyle = css(column.frame ? paint.ink : colour);
      context.save();
      context.translate(x, y);
      if (head.upright) context.rotate(-Math.PI / 2);
      context.fillText(text, 0, 0);
      context.restore();
    }
  });
}

// items: [{values: index → number, match}]. columns: [{mark, token, frame, gap}].
function drawMap(canvas, items, columns, cell, head, largest, cursor) {
  const paint = paints(), dots = window.devicePixelRatio || 1;
  const width = columns.length * cell, height = head.height + items.length * LINE;
  canvas.width = Math.round(width * dots);
  canvas.height = Math.round(height * dots);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext("2d");
  context.scale(dots, dots);
  drawHeads(context, columns, cell, head, paint);
  items.forEach((item, line) => {
    const y = head.height + line * LINE;
    columns.forEach((_, i) => {
      const value = item.values(i), x = i * cell;
      if (Number.isNaN(value)) {
        context.strokeStyle = css(paint.faint, 0.5);
        context.lineWidth = 1;
        context.beginPath();
        context.moveTo(x + 1, y + LINE - 2);
        context.lineTo(x + cell - 2, y + 1);
        context.stroke();
        return;
      }
      context.fillStyle = shade(value, largest, paint);
      context.fillRect(x, y, cell - 1, LINE - 1);
      if (value === 0 || Math.abs(value) < largest / 8) {
        context.fillStyle = css(paint.faint, 0.28);
        context.fillRect(x, y + LINE - 2, cell - 1, 1);
      }
    });
  });
  drawFrames(context, items, columns, cell, head, height, paint);
  if (cursor) {
    context.setLineDash([]);
    context.strokeStyle = css(paint.ink);
    context.lineWidth = 2;
    const y = head.height + cursor.line * LINE;
    context.strokeRect(cursor.column * cell - 1.5, y - 1.5, cell + 2, LINE + 2);
  }
}

const DASHES = { asks: [], key: [5, 3], value: [1.5, 2.5] };

function drawFrames(context, items, columns, cell, head, height, paint) {
  columns.forEach((column, i) => {
    if (column.gap) {
      context.setLineDash([]);
      context.fillStyle = css(paint.faint);
      context.fillRect(i * cell - 1, head.height - 4, 1, height);
    }
    if (!column.frame) return;
    context.strokeStyle = css(paint.ink, 0.85);
    context.lineWidth = 1.5;
    context.setLineDash(DASHES[column.frame]);
    context.strokeRect(i * cell - 0.5, 0.75, cell, height - 1.5);
    if (column.frame !== "asks") return;
    context.setLineDash([]);
    context.lineWidth = 2.5;
    items.forEach((item, line) => {
      if (item.match) context.strokeRect(i * cell - 0.5, head.height + line * LINE - 0.5, cell, LINE);
    });
  });
}
