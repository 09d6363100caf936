// A training while it goes on. The page is read again every other second.
function duration(seconds) {
  const s = Math.round(seconds), parts = [Math.floor(s / 3600), Math.floor(s / 60) % 60, s % 60];
  return (parts[0] ? parts[0] + ":" + String(parts[1]).padStart(2, "0") : parts[1]) + ":" +
    String(parts[2]).padStart(2, "0");
}
document.getElementById("frame").className = "plain";
document.getElementById("contents").hidden = true;
header(
  [named(facts.title)],
  facts.ended ? `Over: ${facts.ended}`
              : "Training goes on; the page is read again every other second.");

const share = facts.total ? Math.min(1, facts.done / facts.total) : 0;
const left = facts.done > 0 && share < 1 ? (facts.elapsed * (1 - share)) / share : 0;
const box = (name, value) => el("div", {class: "figure"}, el("span", {}, name), el("b", {}, value));
const lastOf = (name) => facts.series.find((one) => one.name === name)?.values.at(-1);
section(
  "state", "State", null, el("progress", {
    max: facts.total || 1,
    value: facts.ended ? facts.total || 1 : facts.done,
    "aria-label": "rounds done"
  }),
  el(
    "div", {class: "figures"}, box("rounds", `${count(facts.done)} of ${count(facts.total)}`),
    box("time", duration(facts.elapsed)),
    facts.ended ? null : box("left, about", facts.done ? duration(left) : "–"),
    known(lastOf("train_error")) ? box("training error", percent(lastOf("train_error"))) : null,
    known(lastOf("valid_error")) ? box("validation error", percent(lastOf("valid_error"))) : null));

if (facts.rounds.length > 1) {
  const holder = el("div");
  const show = (byTime) => {
    const made = curveCharts(
      {rounds: facts.rounds, series: facts.series}, byTime ? facts.seconds : facts.rounds,
      byTime ? "seconds" : "rounds");
    holder.replaceChildren(
      el("div", {class: "grid"}, made.figures),
      made.rest.length ? el(
                           "details", {}, el("summary", {}, "Other figures of the rounds"),
                           el("div", {class: "small-grid"}, made.rest))
                       : "");
    redrawAll();
  };
  section(
    "curves", "Curves", null,
    el(
      "div", {class: "controls"},
      el(
        "label", {}, "Against",
        el(
          "select", {id: "curve-axis", onchange: (event) => show(event.target.value === "time")},
          el("option", {value: "rounds"}, "rounds"), el("option", {value: "time"}, "time")))),
    holder);
  show(false);
}
