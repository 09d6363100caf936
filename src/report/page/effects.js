// What the most important features do to what the model says of chosen classes.
function effectSection() {
  const effects = facts.effects;
  if (!effects.length) return;
  const most = 4;  // lines in a picture that can be told apart
  const holder = el("div", {class: "grid"});
  const range = (values) => Math.max(...values.filter(known)) - Math.min(...values.filter(known));
  const show = facts.verdict.calibration ? (v) => percent(v, 0) : number;

  function draw(chosen) {
    holder.replaceChildren(...effects.map((effect) => {
      const order = effect.classes.map((_, i) => i)
                      .sort((a, b) => range(effect.values[b]) - range(effect.values[a]));
      const lines =
        chosen >= 0 ? order.filter((i) => effect.classes[i] === chosen) : order.slice(0, most);
      const numeric = !effect.categorical;
      const places = effect.grid.map((value, i) => i).filter((i) => effect.grid[i] !== null);
      const missing = effect.grid.indexOf(null);
      const series = lines.map(
        (i) => ({
          name: cut(className(effect.classes[i]), 24),
          dots: !numeric,
          x: numeric ? places.map((p) => effect.grid[p]) : places,
          y: places.map((p) => effect.values[i][p]),
          say: numeric ? undefined
                       : (p) => `${effect.grid[places[p]]}: ${className(effect.classes[i])} ${
                           show(effect.values[i][places[p]])}`
        }));
      const words = missing >= 0 && lines.length
        ? ` Missing: ${
            lines
              .map(
                (i) =>
                  `${cut(className(effect.classes[i]), 16)} ${show(effect.values[i][missing])}`)
              .join(", ")}.`
        : "";
      if (!lines.length)
        return el(
          "figure", {}, el("figcaption", {}, named(effect.name), ": changes this class little."));
      const names = (v) =>
        (Number.isInteger(v) && effect.grid[v] !== undefined ? cut(String(effect.grid[v] ?? ""), 10)
                                                             : "");
      return chart({
        caption: cut(effect.name, 60) + "." + words,
        series,
        height: 220,
        x: {
          label: cut(effect.name, 40),
          ...(numeric ? {} : {show: names, low: -0.5, high: places.length - 0.5})
        },
        y: {low: facts.verdict.calibration ? 0 : undefined, show}
      });
    }));
    redrawAll();
  }
  section(
    "effects", "Effects",
    `The mean ${
      facts.verdict.calibration
        ? "probability"
        : "score"} of a class where all rows have the same value of a feature, the others as they are (partial dependence).`,
    el(
      "div", {class: "controls"},
      el(
        "label", {}, "Class",
        el(
          "select", {id: "effect-class", onchange: (event) => draw(Number(event.target.value))},
          el("option", {value: -1}, `the ${Math.min(most, facts.classes.length)} that change most`),
          facts.order.map((k) => el("option", {value: k}, cut(className(k), 40)))))),
    holder);
  draw(-1);
}
