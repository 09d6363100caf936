// Figures of the rounds of a training, as curves.
const LABELS = {
  train_error: "training error",
  valid_error: "validation error",
  train_log_loss: "training log loss",
  valid_log_loss: "validation log loss"
};
const labelOf = (name) => LABELS[name] ??
  (/^bound/.test(name)    ? "bound on the training error, "
     : /^tail/.test(name) ? "exponential tail of the bound, "
                          : "") +
    (/^(bound|tail)_\d/.test(name)
       ? `equation (${name.split("_")[1]})`
       : name.replace(/^bound_theorem(\d)/, "Theorem $1").replaceAll("_", " "));

// Figures of rounds, parted by what they are: errors with the bounds on them, log losses, the rest.
function curveCharts(curves, xs, xLabel) {
  const groups = [
    ["Errors", (n) => /error$/.test(n)], ["Log loss", (n) => /log_loss$/.test(n)],
    ["Bounds of the papers", (n) => /^(bound|tail)/.test(n)]
  ];
  const used = new Set();
  const figures = [];
  const add = (title, series, marks) => {
    const most = title === "Bounds of the papers" ? 1.05 : undefined;
    const kept =
      series
        .map(
          (one) => (most ? {...one, y: one.y.map((value) => (value > most ? null : value))} : one))
        .filter((one) => one.y.some(known));
    if (kept.length)
      figures.push(chart({
        caption: kept.length > 1 ? title : upper(kept[0].name),
        series: kept,
        x: {label: xLabel, show: (v) => number(v)},
        y: {low: title === "Other figures of the rounds" ? undefined : 0, high: most},
        marks
      }));
  };
  const marks = curves.kept && curves.kept < curves.logged ? [{
    x: xs[curves.rounds.findIndex((round) => round >= curves.kept)] ?? xs.at(-1),
    text: `kept: ${curves.kept}`
  }]
                                                           : [];
  for (const [title, fits] of groups) {
    let series = curves.series.filter(
      (one) => fits(one.name) ||
        (title.startsWith("Bounds") && /error$/.test(one.name) && one.name.startsWith("train")));
    if (title.startsWith("Bounds") && !series.some((one) => /^(bound|tail)/.test(one.name)))
      continue;
    series.forEach((one) => used.add(one.name));
    series = series.map((one) => ({name: labelOf(one.name), x: xs, y: one.values}));
    if (title === "Errors" && curves.here)
      series.push({
        name: `error of ${plural(curves.here.rows, "row")} here`,
        x: curves.here.rounds,
        y: curves.here.error
      });
    if (series.length) add(title, series, marks);
  }
  const rest = curves.series.filter((one) => !used.has(one.name));
  return {
    figures,
    rest: rest.map((one) => chart({
                     caption: labelOf(one.name),
                     series: [{name: labelOf(one.name), x: xs, y: one.values}],
                     x: {label: xLabel},
                     y: {},
                     height: 150
                   }))
  };
}
