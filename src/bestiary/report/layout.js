// Light up what a box of the picture reads, and say it in words.
const drawing = document.querySelector(".scroll > svg.layout");
const told = document.getElementById("told");
const hint = told.textContent;

function light(box) {
  const at = box.dataset.at;
  drawing.classList.add("tracing");
  box.classList.add("lit");
  for (const line of drawing.querySelectorAll(`path[data-to="${at}"], path[data-from="${at}"]`)) {
    line.classList.add("lit");
    const other = line.dataset.to === at ? line.dataset.from : line.dataset.to;
    drawing.querySelector(`[data-at="${other}"]`)?.classList.add("lit");
  }
  told.textContent = box.querySelector("title").textContent;
}

function dim() {
  drawing.classList.remove("tracing");
  for (const part of drawing.querySelectorAll(".lit")) part.classList.remove("lit");
  told.textContent = hint;
}

for (const box of drawing.querySelectorAll(".box")) {
  for (const come of ["pointerenter", "focus"]) {
    box.addEventListener(come, () => { dim(); light(box); });
  }
  for (const go of ["pointerleave", "blur"]) box.addEventListener(go, dim);
}

// The ruler says which layers are in view, and goes to the others.
const ruler = document.querySelector(".ruler");
const view = drawing.parentElement;
const column = Number(ruler.dataset.column);

function mark() {
  for (const button of ruler.querySelectorAll("button")) {
    const left = column * Number(button.dataset.layer) - view.scrollLeft;
    button.classList.toggle("shown", left > -column / 2 && left < view.clientWidth - column / 2);
  }
}

for (const button of ruler.querySelectorAll("button")) {
  button.addEventListener("click", () => { view.scrollLeft = column * Number(button.dataset.layer); });
}
view.addEventListener("scroll", mark, { passive: true });
addEventListener("resize", mark);
mark();
