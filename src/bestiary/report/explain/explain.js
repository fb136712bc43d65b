// The page's state is a layer, a question and a place in the heat map; everything is drawn from it.
const data = JSON.parse(document.getElementById("data").textContent);
const at = (id) => document.getElementById(id);
const SIDES = ["gate", "convolution", "product"];
const SAID = { gate: "gate side", convolution: "convolution side", product: "product" };
const OPEN = 8;
const state = { step: data.start, query: data.query, open: new Set(), line: 0, column: 0 };
let items = [], columns = [], arrays = null, cell = 20, head = null, turn = 0;

// Numbers are kept compressed and unpacked when a layer is first looked at.
const unpacked = new Map();
async function unpack(given) {
  if (!given) return null;
  const [text, scale] = given;
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  const numbers = new Float32Array(await new Response(stream).arrayBuffer());
  // Large numbers are kept as parts of the largest.
  return scale === 1 ? numbers : Float64Array.from(numbers, (part) => part * scale);
}
function numbersOf(step) {
  if (!unpacked.has(step)) {
    const { gate, convolution, product } = data.steps[step];
    unpacked.set(step, Promise.all([unpack(gate), unpack(convolution), unpack(product)]));
  }
  return unpacked.get(step);
}

function number(value) {
  if (Number.isNaN(value)) return "nothing";
  if (!Number.isFinite(value)) return value < 0 ? "−∞" : "∞";
  const text = Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(4)));
  return text.replace("-", "−");
}

function valueAt(side, line, column) {
  const [gate, convolution, product] = arrays, place = line * columns.length + column;
  if (side === "gate") return gate ? gate[place] : NaN;
  if (side === "convolution") return convolution ? convolution[place] : NaN;
  return product ? product[place] : gate[place] * convolution[place];
}

// The largest in size over lines, with its sign; nothing where no line has a number.
function largestOf(side, lines, column) {
  let found = NaN;
  for (const line of lines) {
    const value = valueAt(side, line, column);
    if (!Number.isNaN(value) && !(Math.abs(found) >= Math.abs(value))) found = value;
  }
  return found;
}

function query() { return state.query === null ? null : data.queries[state.query]; }

function matches(line) {
  const asked = query();
  return asked !== null && line.distance !== null && line.distance === asked.distance;
}

function arrange(step) {
  const groups = new Map(), every = at("all").checked;
  const kept = at("kept").checked || step.lines.every((line) => line.kept);
  step.lines.forEach((line, index) => {
    if (line.kept && !kept) return;
    if (!groups.has(line.group)) groups.set(line.group, []);
    groups.get(line.group).push(index);
  });
  const found = [];
  for (const [group, lines] of groups) {
    const few = lines.length <= OPEN, open = every || few || state.open.has(group);
    if (!few) found.push({ group, lines, open, all: step.sizes[group] ?? lines.length });
    const shown = open ? lines : lines.filter((index) => matches(step.lines[index])).slice(0, OPEN * 2);
    for (const index of shown) {
      found.push({ line: step.lines[index], index, match: matches(step.lines[index]) });
    }
  }
  return found;
}

// What the channels of the question's distance hold in its row.
function lit(step) {
  const asked = query(), column = asked ? data.rows.indexOf(asked.row) : -1;
  if (column < 0) return "";
  const found = [];
  step.lines.forEach((line, index) => {
    if (!line.kept && matches(line)) found.push(`${line.name} = ${number(valueAt("product", index, column))}`);
  });
  const more = found.length > OPEN ? ` and ${found.length - OPEN} more` : "";
  return found.length ? `For this question, in row ${asked.row}: ${found.slice(0, OPEN).join(", ")}${more}.` : "";
}

function columnsNow() {
  const asked = query();
  return data.rows.map((row, i) => {
    const frame = !asked ? "" : row === asked.row ? "asks" : row === asked.key ? "key" : row === asked.value ? "value" : "";
    const gap = i > 0 && row !== data.rows[i - 1] + 1;
    const given = row < data.tokens.length;
    return { frame, gap, mark: given ? data.marks[row] : "", token: String(given ? data.tokens[row] : row) };
  });
}

function sidesShown(width) {
  const all = data.steps[state.step].gate ? SIDES : ["product"];
  const three = all.length === 3 && width / (3 * columns.length) >= 11;
  at("sides").hidden = three || all.length === 1;
  if (three || all.length === 1) return all;
  return [at("options").elements.side.value];
}

async function render() {
  const mine = ++turn, step = data.steps[state.step], numbers = await numbersOf(state.step);
  if (mine !== turn) return;
  arrays = numbers;
  columns = columnsNow();
  items = arrange(step);
  state.line = Math.min(state.line, items.length - 1);
  words(step);
  const board = at("board"), width = board.clientWidth - 30;
  const shown = sidesShown(width);
  cell = Math.max(9, Math.min(26, Math.floor(width / (shown.length * columns.length))));
  head = heads(columns, cell);
  names();
  board.replaceChildren(...shown.map((side) => {
    const figure = document.createElement("figure"), caption = document.createElement("figcaption");
    const canvas = document.createElement("canvas");
    figure.dataset.side = side;
    caption.textContent = step.gate ? SAID[side] : "value";
    canvas.setAttribute("role", "presentation");
    listen(canvas);
    figure.append(caption, canvas);
    return figure;
  }));
  paint();
  see();
  tell(state.line, state.column);
  board.dataset.drawn = String(state.step);
}

function paint() {
  const step = data.steps[state.step];
  for (const figure of at("board").children) {
    const side = figure.dataset.side;
    const drawn = items.map((item) => ({
      match: Boolean(item.match),
      values: item.group ? (i) => largestOf(side, item.lines, i) : (i) => valueAt(side, item.index, i),
    }));
    const cursor = document.activeElement === at("board") ? state : null;
    drawMap(figure.querySelector("canvas"), drawn, columns, cell, head, step.largest, cursor);
  }
  [...at("names").children].forEach((name, i) => name.classList.toggle("at", i - 1 === state.line));
}

// A wide map is moved sideways so that the place of the cursor is in view.
function see() {
  const board = at("board"), left = state.column * cell, far = left - board.scrollLeft;
  if (board.children.length === 1 && (far < 0 || far + 2 * cell > board.clientWidth)) {
    board.scrollLeft = left - board.clientWidth / 2;
  }
}

function words(step) {
  at("title").textContent = step.number ? `${step.title} of ${data.layers}` : step.title;
  at("lit").textContent = lit(step);
  at("lit").hidden = !at("lit").textContent;
  at("sentence").textContent = step.sentence;
  at("slider").value = state.step;
  at("slider").setAttribute("aria-valuetext", step.title);
  at("back").disabled = state.step === 0;
  at("next").disabled = state.step === data.steps.length - 1;
  at("least").textContent = number(-step.largest);
  at("most").textContent = number(step.largest);
  at("meanings").replaceChildren(...step.meanings.map(([group, meaning]) => {
    const row = document.createElement("div"), term = document.createElement("dt");
    const said = document.createElement("dd");
    term.textContent = `${group}: `;
    said.textContent = `${meaning}.`;
    row.append(term, said);
    return row;
  }));
}

function names() {
  const space = document.createElement("span");
  space.style.height = `${head.height + 20}px`;
  at("names").replaceChildren(space, ...items.map((item) => {
    const name = document.createElement(item.group ? "button" : "span");
    if (item.group) {
      name.type = "button";
      name.textContent = `${item.open ? "▾" : "▸"} ${item.group} (${counted(item)})`;
      name.setAttribute("aria-expanded", String(item.open));
      name.title = "Of the group's numbers the largest in size; open it for its channels";
      name.addEventListener("click", () => toggle(item.group));
    } else {
      const copies = item.line.copies > 1 ? ` ×${item.line.copies}` : "";
      name.textContent = `${item.line.name}${copies}`;
      name.title = item.line.how;
      name.classList.toggle("match", Boolean(item.match));
    }
    return name;
  }));
}

// Of a group that is not whole on the page both numbers are said.
function counted(item) {
  const here = item.lines.length;
  return item.all > here ? `${here} of ${item.all}` : String(here);
}

function toggle(group) {
  if (state.open.has(group)) state.open.delete(group);
  else state.open.add(group);
  render();
}

// What lies at a place, in words: for pointers, for keys and for screen readers.
function tell(line, column) {
  const item = items[line], row = data.rows[column];
  if (!item) { at("told").textContent = "No channel is new in this layer; show those kept from before."; return; }
  const given = row < data.tokens.length;
  const where = given ? `row ${row} (${[data.marks[row], `token ${data.tokens[row]}`].filter((x) => x && x !== ".").join(", ")})` : `row ${row}`;
  const { gate: two, cells } = data.steps[state.step];
  if (item.group) {
    const value = number(largestOf("product", item.lines, column));
    at("told").textContent = `${item.group}, largest in size of ${counted(item)} channels in ${where}: ${value}`;
    return;
  }
  const [gate, convolution, product] = SIDES.map((side) => number(valueAt(side, item.index, column)));
  const sum = two ? `gate ${gate} × convolution ${convolution} = ${product}` : product;
  const { name, how, role, channel, delay, copies } = item.line;
  const late = delay ? `, ${delay} ${delay === 1 ? "row" : "rows"} late` : "";
  const same = copies > 1 ? `, the same in ${copies} channels` : "";
  const cell = cells[item.index]?.[column], called = cell ? `, which is ${cell}` : "";
  at("told").textContent = `${name}, ${where}${called}: ${sum}. ${name} = ${how} (${role}, channel ${channel}${late}${same}).`;
}

function listen(canvas) {
  const place = (event) => {
    const box = canvas.getBoundingClientRect();
    const line = Math.floor((event.clientY - box.top - head.height) / LINE);
    const column = Math.floor((event.clientX - box.left) / cell);
    return line >= 0 && line < items.length && column >= 0 && column < columns.length ? { line, column } : null;
  };
  canvas.addEventListener("pointermove", (event) => {
    const found = place(event);
    if (found) tell(found.line, found.column);
  });
  canvas.addEventListener("pointerleave", () => tell(state.line, state.column));
  canvas.addEventListener("click", (event) => {
    const found = place(event);
    if (found) { Object.assign(state, found); paint(); tell(found.line, found.column); }
  });
}

function go(step) {
  state.step = Math.max(0, Math.min(data.steps.length - 1, step));
  render();
}

function move(line, column) {
  state.line = Math.max(0, Math.min(items.length - 1, state.line + line));
  state.column = Math.max(0, Math.min(columns.length - 1, state.column + column));
  paint();
  see();
  tell(state.line, state.column);
  at("names").children[state.line + 1]?.scrollIntoView({ block: "nearest" });
}

const KEYS = {
  ArrowLeft: () => go(state.step - 1),
  ArrowRight: () => go(state.step + 1),
  ArrowUp: () => move(-1, 0),
  ArrowDown: () => move(1, 0),
  Home: () => go(0),
  End: () => go(data.steps.length - 1),
  Enter: () => items[state.line]?.group && toggle(items[state.line].group),
};
const SHIFTED = { ArrowLeft: () => move(0, -1), ArrowRight: () => move(0, 1) };

at("board").addEventListener("keydown", (event) => {
  const act = (event.shiftKey ? SHIFTED : KEYS)[event.key];
  if (!act || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  act();
});
at("board").addEventListener("focus", paint);
at("board").addEventListener("blur", paint);
at("slider").addEventListener("input", () => go(Number(at("slider").value)));
at("back").addEventListener("click", () => go(state.step - 1));
at("next").addEventListener("click", () => go(state.step + 1));
at("options").addEventListener("change", render);
at("options").addEventListener("submit", (event) => event.preventDefault());

function ask(number) {
  state.query = number;
  const asked = query();
  for (const item of document.querySelectorAll(".tokens li")) {
    const row = Number(item.dataset.row);
    for (const [name, place] of [["asks", asked.row], ["key", asked.key], ["value", asked.value]]) {
      item.classList.toggle(name, row === place);
    }
    const button = item.querySelector("button");
    button?.setAttribute("aria-pressed", String(Number(button.dataset.query) === number));
  }
  const list = document.querySelector(".tokens"), box = list.querySelector(".asks");
  list.scrollTop = box.offsetTop - list.offsetTop - list.clientHeight / 2;
  state.column = Math.max(0, data.rows.indexOf(asked.row));
  at("asked").textContent = asked.told;
  return render();
}
for (const button of document.querySelectorAll("[data-query]")) {
  button.addEventListener("click", () => ask(Number(button.dataset.query)));
}
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", paint);
addEventListener("resize", render);
if (state.query === null) render();
else ask(state.query);
