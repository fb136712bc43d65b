// Light up what a box of the picture reads, and say it in words.
const drawing = document.querySelector(".scroll > svg.layout");
const told = document.getElementById("told");

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
  told.textContent = "";
}

for (const box of drawing.querySelectorAll(".box")) {
  for (const come of ["pointerenter", "focus"]) {
    box.addEventListener(come, () => { dim(); light(box); });
  }
  for (const go of ["pointerleave", "blur"]) box.addEventListener(go, dim);
}
