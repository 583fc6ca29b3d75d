// The Plotly panel: one captured Plotly instance, figures updated in place, picks by click or keyboard.
const load = (src) =>
  (window.__glassboxPlotly ??= new Promise((resolve, reject) => {
    const before = window.Plotly;
    const script = document.createElement("script");
    script.src = src;
    script.onload = () => {
      resolve(window.Plotly);
      if (before) window.Plotly = before;
    };
    script.onerror = () => {
      delete window.__glassboxPlotly; // the next figure tries again
      script.remove();
      reject();
    };
    document.head.appendChild(script);
  }));

const box = (host, kind) => {
  const element = host.querySelector(`.${kind.replace(" ", ".")}`) ?? host.appendChild(document.createElement("div"));
  element.className = kind;
  return element;
};
const place = (element, left, top, width, height) =>
  Object.assign(element.style, {
    display: "block", left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px`,
  });

// The pixels of heat map cell (x, y), or null where the figure is no heat map with one cell per unit.
function cellBox(plot, x, y) {
  const { xaxis, yaxis } = plot._fullLayout ?? {};
  if (!xaxis || !yaxis) return null;
  const [x0, x1] = [xaxis.d2p(x - 0.5), xaxis.d2p(x + 0.5)];
  const [y0, y1] = [yaxis.d2p(y - 0.5), yaxis.d2p(y + 0.5)];
  return {
    left: xaxis._offset + Math.min(x0, x1), top: yaxis._offset + Math.min(y0, y1),
    width: Math.abs(x1 - x0), height: Math.abs(y1 - y0),
    plotLeft: xaxis._offset, plotTop: yaxis._offset, plotWidth: xaxis._length, plotHeight: yaxis._length,
  };
}

function showBands(plot, x, y) {
  const cell = cellBox(plot, x, y);
  if (!cell) return;
  place(box(plot, "band row"), cell.plotLeft, cell.top, cell.plotWidth, cell.height);
  place(box(plot, "band column"), cell.left, cell.plotTop, cell.width, cell.plotHeight);
}
const hide = (plot, selector) => plot.querySelectorAll(selector).forEach((e) => (e.style.display = "none"));

function listeners(plot, state) {
  const click = ({ points: [point] }) => {
    const cell = { x: point.x, y: point.y, customdata: point.customdata ?? null };
    state.cursor = { x: state.grid() ? point.x : 0, y: point.y };
    plot.focus({ preventScroll: true }); // the arrow keys go on from here
    state.chosen(cell);
    if (state.jump && /\.layers\./.test(point.customdata?.[0] ?? ""))
      document.querySelector(state.jump)?.scrollIntoView({ behavior: "smooth", block: "start" });
  };
  const hover = ({ points: [point] }) => {
    if (point.data.type === "heatmap" && state.grid()) showBands(plot, point.x, point.y);
  };
  return { plotly_click: click, plotly_hover: hover, plotly_unhover: () => hide(plot, ".band") };
}

function listen(plot, state) { // after every drawing: of two at once, the second makes Plotly forget who listens
  state.listeners ??= listeners(plot, state);
  for (const [name, hear] of Object.entries(state.listeners)) {
    plot.removeListener(name, hear);
    plot.on(name, hear);
  }
}

function wire(plot, state) {
  const pick = (state.chosen = (point) => state.pick({ ...point, count: (state.count = (state.count ?? 0) + 1) }));
  plot.addEventListener("keydown", (event) => {
    const bars = state.grid() ? null : state.bars();
    const grid = state.grid() ?? (bars && { rows: bars.length, columns: 1 });
    if (!grid) return;
    const last = { x: grid.columns - 1, y: grid.rows - 1 };
    const at = (state.cursor ??= { ...(grid.selected ?? { x: 0, y: 0 }) });
    const moves = {
      ArrowLeft: () => (at.x = Math.max(0, at.x - 1)), ArrowRight: () => (at.x = Math.min(last.x, at.x + 1)),
      ArrowUp: () => (at.y = Math.max(0, at.y - 1)), ArrowDown: () => (at.y = Math.min(last.y, at.y + 1)),
      Home: () => (bars ? (at.y = 0) : (at.x = 0)), End: () => (bars ? (at.y = last.y) : (at.x = last.x)),
    };
    const chosen = event.key === "Enter" || event.key === " ";
    if (!moves[event.key] && !chosen) return;
    event.preventDefault();
    moves[event.key]?.();
    const cell = cellBox(plot, at.x, at.y);
    if (bars) {
      place(box(plot, "cursor"), cell.plotLeft, cell.top, cell.plotWidth, cell.height);
      if (chosen) pick({ x: null, y: at.y, customdata: bars[at.y] });
      return; // a bar is picked by Enter only: some switch a part of the model off
    }
    place(box(plot, "cursor"), cell.left, cell.top, cell.width, cell.height);
    showBands(plot, at.x, at.y);
    clearTimeout(state.timer); // one pick when the keys rest, not one for each press
    state.timer = setTimeout(() => pick({ x: at.x, y: at.y, customdata: null }), chosen ? 0 : 180);
  });
  plot.addEventListener("blur", () => hide(plot, ".band, .cursor"));
}

function addTools(root, plot, state) {
  const tools = document.createElement("div");
  tools.className = "tools";
  for (const format of ["png", "svg"]) {
    const button = document.createElement("button");
    button.textContent = format.toUpperCase();
    button.title = state.download.replace("{format}", format.toUpperCase());
    button.onclick = () =>
      state.Plotly.downloadImage(plot, { format, filename: state.name, scale: format === "png" ? 2 : 1 });
    tools.appendChild(button);
  }
  root.appendChild(tools);
}

export default async function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".panel");
  const plot = root.querySelector(".plot");
  const call = (plot.__call = (plot.__call ?? 0) + 1);
  const Plotly = await load(data.src).catch(() => (plot.textContent = data.broken) && null);
  if (!Plotly) return;
  const state = (plot.__state ??= {});
  Object.assign(state, { Plotly, name: data.name, jump: data.jump, download: data.download, pick: (value) => setTriggerValue("pick", value) });
  const { figure } = data;
  const grid = figure.layout.meta?.grid ?? null;
  state.grid = () => grid;
  const lying = figure.data.find((trace) => trace.type === "bar" && trace.orientation === "h" && Array.isArray(trace.customdata));
  state.bars = () => lying?.customdata;
  state.cursor = null;
  const scroll = root.querySelector(".scroll");
  const width = () => Math.max(scroll.clientWidth, figure.layout.meta?.width ?? 0);
  state.resize = () => {
    if (!scroll.clientWidth) return; // hidden, or on its way out
    root.classList.toggle("wide", width() > scroll.clientWidth + 4);
    if (plot._fullLayout && plot._fullLayout.width !== width()) Plotly.relayout(plot, { width: width() });
  };
  plot.setAttribute("role", "img");
  plot.setAttribute("aria-label", data.alt);
  hide(plot, ".band, .cursor");
  await Plotly.react(plot, figure.data, { ...figure.layout, width: width() }, { displayModeBar: false });
  state.resize();
  if (figure.layout.meta?.follow) scroll.scrollLeft = figure.layout.meta.follow - scroll.clientWidth; // a narrow screen shows what is new
  plot.dataset.drawn = String(Number(plot.dataset.drawn ?? 0) + 1);
  listen(plot, state);
  if (!state.wired) {
    state.wired = true;
    wire(plot, state);
    addTools(root, plot, state);
    state.observer = new ResizeObserver(() => state.resize());
    state.observer.observe(scroll);
  }
  return () => {
    if (plot.__call !== call) return; // called at once where newer data overtook this drawing, which lives on
    state.observer.disconnect(); // what is purged cannot be resized
    Plotly.purge(plot);
  };
}
