// The stepper: asks the page for a step, plays by asking for the next one when the last one has arrived.
function build(root, state, buttons) {
  for (const name of ["reset", "back", "play", "next"]) {
    const [text, title] = buttons[name];
    const button = Object.assign(document.createElement("button"), { type: "button", className: name, textContent: text, title });
    button.setAttribute("aria-label", title);
    button.onclick = () => state.act(name);
    root.appendChild(button);
  }
  const dots = document.createElement("span");
  dots.className = "dots";
  const label = document.createElement("span");
  label.className = "label";
  label.setAttribute("aria-live", "polite");
  root.append(dots, label);
}

function keyed(event, state) {
  const busy = event.target.closest?.("input, textarea, select, [contenteditable], .plot, [role=slider], [role=radiogroup]");
  const action = { ArrowLeft: "back", ArrowRight: "next", Home: "reset", End: "last" }[event.key];
  if (busy || !action || event.ctrlKey || event.metaKey || event.altKey || !state.root.isConnected) return;
  event.preventDefault();
  state.act(action);
}

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".stepper");
  const state = (root.__state ??= { root, playing: false });
  const last = data.titles.length - 1;
  const go = (step) => step >= 0 && step <= last && step !== data.step && setTriggerValue("step", step);
  const pause = () => ((state.playing = false), clearTimeout(state.timer), show());
  const show = () => {
    root.querySelector(".play").textContent = state.playing ? data.pause : data.buttons.play[0];
    root.querySelector(".label").textContent = data.place;
    root.querySelector(".back").disabled = root.querySelector(".reset").disabled = data.step === 0;
    root.querySelector(".next").disabled = data.step === last;
    root.querySelector(".dots").replaceChildren(...(last > 24 ? [] : data.titles.map((title, i) => {
      const dot = Object.assign(document.createElement("button"), { type: "button", title, className: i === data.step ? "dot now" : "dot" });
      dot.setAttribute("aria-label", data.dot.replace("{step}", i + 1).replace("{title}", () => title));
      dot.onclick = () => (pause(), go(i));
      return dot;
    })));
  };
  state.act = (name) => {
    if (name === "play") {
      if (state.playing) return pause();
      state.playing = true;
      show();
      return data.step === last ? go(0) : go(data.step + 1);
    }
    pause();
    go({ reset: 0, back: data.step - 1, next: data.step + 1, last }[name]);
  };
  if (!root.childElementCount) {
    build(root, state, data.buttons);
    state.listener = (event) => keyed(event, state);
    document.addEventListener("keydown", state.listener);
  }
  clearTimeout(state.timer);
  if (state.playing) {
    if (data.step === last) state.playing = false;
    else state.timer = setTimeout(() => go(data.step + 1), data.milliseconds);
  }
  show();
  return () => (clearTimeout(state.timer), document.removeEventListener("keydown", state.listener));
}
