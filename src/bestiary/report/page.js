// Filters, sorting, theme and charts of a report. All data are in the page; nothing is fetched.
(() => {
  "use strict";
  const { charts, looks, mixers, statuses } = JSON.parse(document.getElementById("data").textContent);
  const root = document.documentElement;
  const form = document.getElementById("filters");
  const dark = matchMedia("(prefers-color-scheme: dark)");
  for (const chart of charts) chart.rows = chart.values.map((row) => unpacked(chart.fields, row));
  const views = {};
  const drawn = {};
  let highlighted = [];

  // Null is what a row does not have.
  function unpacked(fields, values) {
    return Object.fromEntries(fields.map((f, i) => [f, values[i]]).filter(([, v]) => v !== null));
  }

  const theme = () => root.dataset.theme || (dark.matches ? "dark" : "light");

  function wanted() {
    const chosen = new FormData(form);
    return {
      mixers: new Set(chosen.getAll("mixer")),
      segment: chosen.get("segment"),
      width: chosen.get("width"),
      status: chosen.get("status"),
    };
  }

  // A row or element passes a filter on what it does not have.
  function passes(filter, item) {
    return (
      (item.mixer === undefined || filter.mixers.has(item.mixer)) &&
      (!filter.width || !item.width || item.width === filter.width) &&
      (!filter.segment || !item.segment || item.segment === filter.segment) &&
      (!filter.status || !item.status || item.status.split(" ").includes(filter.status))
    );
  }

  function described(row) {
    return {
      mixer: row.mixer,
      width: row.d_model == null ? "" : String(row.d_model),
      segment: row.length == null ? "" : `${row.length}/${row.pairs}`,
      status: row.status ?? statuses[row.point] ?? "",
    };
  }

  function filterElements(filter, selector) {
    let shown = 0;
    const all = document.querySelectorAll(selector);
    for (const element of all) {
      element.hidden = !passes(filter, element.dataset);
      shown += element.hidden ? 0 : 1;
    }
    return [shown, all.length];
  }

  // Panels side by side as they fit; Vega-Lite gives panels no width of their container.
  function fitted(chart, rows, width) {
    const spec = structuredClone(chart.spec);
    const panels = new Set(rows.map((row) => row.panel)).size;
    const left = Math.min(spec.usermeta.left, Math.round(width * 0.45));
    const gap = 24;
    const fits = Math.floor((width - left - 12 + gap) / (230 + gap));
    // Four in a square: three and one look like a mistake.
    const columns = Math.max(1, Math.min(fits, panels, panels === 4 ? 2 : 3));
    const room = Math.floor((width - left - 12 - gap * (columns - 1)) / columns);
    spec.columns = columns;
    spec.spec.width = Math.max(120, Math.min(room, panels === 1 ? 720 : 520));
    spec.padding = 2;
    spec.datasets = { rows };
    spec.params[0].value = highlighted;
    return spec;
  }

  async function draw(chart, filter) {
    const place = document.querySelector(`[data-chart="${chart.name}"]`);
    const kept = [...chart.rows.keys()].filter((i) => passes(filter, described(chart.rows[i])));
    const rows = kept.map((i) => chart.rows[i]);
    const key = JSON.stringify([theme(), place.clientWidth, kept]);
    if (drawn[chart.name] === key) return;
    drawn[chart.name] = key;
    views[chart.name]?.finalize();
    delete views[chart.name];
    if (!rows.some((row) => row.kind !== "ceiling")) {
      const empty = document.createElement("p");
      empty.className = "none";
      empty.textContent = "Nothing matches the filters.";
      place.replaceChildren(empty);
      return;
    }
    const width = place.clientWidth;
    const spec = fitted(chart, rows, width);
    const config = structuredClone(looks[theme()]);
    config.legend.columns = Math.max(1, Math.floor(width / 200));
    config.legend.labelLimit = Math.min(240, width - 60);
    config.axis.labelLimit = Math.round(width * 0.45) - 20;
    const { view } = await vegaEmbed(place, spec, {
      mode: "vega-lite",
      renderer: "svg",
      actions: false,
      ast: true, // Expressions are interpreted: the page forbids eval.
      config,
      tooltip: { theme: theme() },
    });
    place.classList.toggle("drawn-dark", theme() === "dark");
    views[chart.name] = view;
  }

  let drawing = Promise.resolve();
  function redraw() {
    const filter = wanted();
    drawing = drawing.then(() => Promise.all(charts.map((chart) => draw(chart, filter))));
    return drawing;
  }

  function apply() {
    const filter = wanted();
    const [rows, allRows] = filterElements(filter, "#results tbody tr");
    const [runs, allRuns] = filterElements(filter, ".runs > li");
    filterElements(filter, ".lost > li, table:not(#results) tr[data-mixer]");
    document.getElementById("no-rows").hidden = rows > 0;
    document.getElementById("no-runs").hidden = runs > 0;
    document.getElementById("shown").textContent =
      `${rows} of ${allRows} rows, ${runs} of ${allRuns} runs shown`;
    return redraw();
  }

  function sortBy(button) {
    const header = button.closest("th");
    const table = header.closest("table");
    const column = Number(button.dataset.column);
    const down = header.getAttribute("aria-sort") === "ascending";
    for (const other of table.querySelectorAll("thead th")) other.setAttribute("aria-sort", "none");
    header.setAttribute("aria-sort", down ? "descending" : "ascending");
    const numeric = header.classList.contains("number");
    const value = (row) => row.cells[column].dataset.value;
    const compared = (a, b) =>
      numeric ? Number(a) - Number(b) : a.localeCompare(b, "en", { numeric: true });
    const rows = [...table.tBodies[0].rows];
    rows.sort((one, other) => {
      const [a, b] = [value(one), value(other)];
      // What is not known stays last, whichever way is up.
      if (a === "" || b === "") return (a === "") - (b === "");
      return down ? compared(b, a) : compared(a, b);
    });
    table.tBodies[0].append(...rows);
  }

  function showTheme() {
    document.getElementById("theme").setAttribute("aria-pressed", String(theme() === "dark"));
  }

  // A click on a legend's entry highlights its mixer in every chart, shift adds one to it.
  function highlight(entry, adding) {
    const mixer = entry.textContent;
    if (!mixers.includes(mixer)) return;
    const others = adding ? highlighted.filter((other) => other !== mixer) : [];
    highlighted = highlighted.includes(mixer) && (adding || highlighted.length === 1)
      ? others
      : [...others, mixer];
    for (const view of Object.values(views)) view.signal("highlighted", highlighted).runAsync();
  }

  async function save(button) {
    const name = button.closest("figure").querySelector("[data-chart]").dataset.chart;
    const view = views[name];
    if (!view) return;
    const link = document.createElement("a");
    link.href = await view.toImageURL(button.dataset.save, 2);
    link.download = `${name}.${button.dataset.save}`;
    link.click();
  }

  form.addEventListener("change", apply);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(apply));
  document.getElementById("theme").addEventListener("click", () => {
    root.dataset.theme = theme() === "dark" ? "light" : "dark";
    try {
      localStorage.setItem("bestiary-theme", root.dataset.theme);
    } catch {
      // A browser may forbid it for files; the choice then lasts as long as the page.
    }
    showTheme();
    redraw();
  });
  dark.addEventListener("change", () => {
    showTheme();
    redraw();
  });
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button?.dataset.column !== undefined) sortBy(button);
    if (button?.dataset.save) save(button);
    const entry = event.target.closest(".role-legend-entry .role-scope > g");
    if (entry) highlight(entry, event.shiftKey);
  });
  let width = innerWidth;
  let waiting;
  addEventListener("resize", () => {
    if (innerWidth === width) return; // A phone's address bar comes and goes.
    width = innerWidth;
    clearTimeout(waiting);
    waiting = setTimeout(redraw, 150);
  });

  showTheme();
  // For a person at the console, and for tests: the charts as they are drawn.
  window.bestiary = { views, ready: apply(), settled: () => drawing };
})();
