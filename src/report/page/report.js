// The report: what a model does on labelled rows.
function verdictSection() {
  const v = facts.verdict;
  const about = (name, interval, show, least) => el(
    "div", {class: "figure"}, el("span", {}, name), el("b", {}, show(interval[0])),
    el("span", {}, between(interval, show)),
    ...least.filter((line) => line).map((line) => el("span", {}, line)));
  const beside = (tree, shares, show) =>
    [known(tree[0]) ? `a single tree: ${show(tree[0])}` : "",
     `the classes' shares: ${show(shares[0])}`];
  const boxes = [about("wrong", v.error, percent, beside(v.tree_error, v.shares_error, percent))];
  if (v.log_loss)
    boxes.push(
      about("log loss", v.log_loss, number, beside(v.tree_loss, v.shares_loss, number)),
      about(
        "calibration error", v.calibration, percent,
        ["how far probabilities are from what comes true"]));
  if (v.estimate && v.estimate.figures.error)
    boxes.push(about(
      `expected in training (${v.estimate.method})`, v.estimate.figures.error, percent,
      [`wrong, by ${count(v.estimate.rows)} training rows`]));
  const words = [
    `On ${count(v.rows)} rows of ${
      plural(facts.classes.length, "class", "classes")} the model is wrong on ${count(v.wrong)}: `,
    el("b", {}, percent(v.error[0])),
    `, and with a chance of 95${NARROW}% on ${between(v.error, percent)} of rows like these.`
  ];
  if (known(v.tree_error[0]) && v.tree_error[0] > 0)
    words.push(
      v.lead[1] > 0 ? ` A single tree errs ${
                        v.error[0] > 0 ? number(v.tree_error[0] / v.error[0], 2) + " times as often"
                                       : "on " + percent(v.tree_error[0])}.`
        : v.lead[2] < 0? " A single tree errs less."
                    : " A single tree errs about as often.");
  if (v.calibration)
    words.push(
      v.calibration[0] < 0.015    ? " Its probabilities can be taken at their word."
        : v.calibration[0] < 0.05 ? " Its probabilities are fair, but not exact."
                                  : " Its probabilities should not be taken at their word.");
  const warnings = facts.warnings.length
    ? el(
        "ul", {class: "warnings", "aria-label": "Warnings"},
        facts.warnings.map((one) => el("li", {class: one.level}, one.text)))
    : el("p", {class: "soft"}, "Nothing to warn of was found.");
  section(
    "verdict", "Verdict", null, el("p", {class: "lead"}, words),
    el("div", {class: "figures"}, boxes), warnings,
    el(
      "p", {class: "soft"},
      `Intervals hold with a chance of 95${
        NARROW}% (rows drawn again 1,000 times). The single tree was grown out on ${
        v.tree_on}; the classes' shares are those of ${v.shares_of}.`));
}

function classSection() {
  const rows = facts.table.map((line, k) => ({
                                 k,
                                 support: line[0],
                                 said: line[1],
                                 recall: line[2],
                                 precision: line[3],
                                 gap: line[4],
                                 calibration: line[5],
                                 margin: line[6],
                                 rival: line[7],
                                 rivals: line[8]
                               }));
  const columns =
    [
      classColumn("class", (row) => row.k),
      numberColumn("rows", (row) => row.support, count, "rows of the class"),
      numberColumn(
        "recall", (row) => row.recall, barred, "share of its rows that are said to be of it"),
      numberColumn(
        "precision", (row) => row.precision, barred, "share of what is said to be of it that is"),
      numberColumn(
        "too sure by", (row) => row.gap, percent,
        "mean probability of what is said to be of it, less the share that is"),
      numberColumn(
        "calibration error", (row) => row.calibration, percent, "of what is said to be of it"),
      numberColumn(
        "median margin", (row) => row.margin, number,
        "by how much the score of the class exceeds the best other, in the middle"),
      {
        title: "worst rival",
        text: true,
        help: "the class that it is most taken for",
        value: (row) => row.rivals,
        show: (row) => (row.rival >= 0 ? [nameOf(row.rival), ` (${count(row.rivals)})`] : "–")
      },
    ]
      .filter(
        (column) => facts.verdict.calibration ||
          !["too sure by", "calibration error"].includes(column.title));
  section("classes", "Classes", null, table({
            id: "class-table",
            caption: "All classes; a click on a heading sorts.",
            columns,
            rows,
            search: (row) => className(row.k),
            sort: [2, false]
          }));
}

function rowColumns(features, pushes) {
  const columns = [
    numberColumn("row", (row) => row.row), classColumn("label", (row) => row.truth),
    classColumn("said", (row) => row.said)
  ];
  if (facts.verdict.calibration)
    columns.push(
      numberColumn("probability of what is said", (row) => row.top, percent),
      numberColumn("of the label", (row) => row.p, percent));
  else
    columns.push(numberColumn("margin", (row) => row.margin, number));
  if (pushes)
    columns.push(
      {title: "why what is said, and not the label", text: true, wide: true, show: pushed});
  columns.push(valuesColumn(features));
  return columns;
}
// What each feature adds to the lead of what is said over the label.
const pushed = (row) =>
  (row.why ?? [])
    .map(
      (one) => el(
        "span", {class: "push " + (one.by > 0 ? "for" : "against")}, named(one.feature),
        ` ${one.by > 0 ? "+" : "−"}${number(Math.abs(one.by), 2)}`));

function pairSection() {
  if (!facts.pairs.length) return;
  const rows =
    facts.pairs.map((pair) => ({...pair, share: pair.weight / facts.table[pair.truth][0]}));
  const columns = [
    classColumn("true class", (row) => row.truth),
    classColumn("said", (row) => row.said),
    numberColumn("rows", (row) => row.weight),
    numberColumn(
      "of the true class", (row) => row.share,
      (share) => barred(share, Math.max(...rows.map((one) => one.share)))),
    {
      title: "the surest mistakes",
      text: true,
      wide: true,
      show: (row) => el(
        "details", {},
        el("summary", {}, "rows " + row.rows.map((one) => count(one.row)).join(", ")),
        row.rows.map(
          (one) => el(
            "div", {class: "soft"},
            `row ${count(one.row)}${known(one.top) ? ` (${percent(one.top)} sure)` : ""}: ${
              rowValues(one, facts.row_features)}`)))
    },
  ];
  section("pairs", "Worst pairs", null, table({
            id: "pair-table",
            caption: "The pairs that are confused most, with rows as examples.",
            columns,
            rows,
            search: (row) => className(row.truth) + " " + className(row.said),
            most: 12
          }));
}

function reliability(caption, parts, height) {
  const size = (bins) => {
    const most = Math.max(...bins.map((bin) => bin[2]));
    return bins.map((bin) => 2 + 4 * Math.sqrt(bin[2] / most));
  };
  const series =
    parts.map((part) => ({
                name: part.name,
                x: part.bins.map((bin) => bin[0]),
                y: part.bins.map((bin) => bin[1]),
                size: size(part.bins),
                dots: true,
                say: (i) => `${part.name}: said with ${percent(part.bins[i][0])}, true in ${
                  percent(part.bins[i][1])} of ${plural(part.bins[i][2], "row")}`
              }));
  const show = (value) => percent(value, 0);
  return chart({
    caption,
    series,
    x: {label: "said with a probability of", low: 0, high: 1, show},
    y: {low: 0, high: 1, show},
    even: true,
    height,
    legends: parts.length > 1
  });
}

function calibrationSection() {
  const c = facts.calibration;
  if (!c) return;
  const words = c.after.log_loss > 0.99 * c.before.log_loss
    ? "The probabilities are about as sure as they should be"
    : c.scale < 1 ? "The probabilities are too sure"
                  : "The probabilities are not sure enough";
  section(
    "calibration", "Calibration",
    "On the dashed line, what is said with a probability of p is true in a share of p. Below it the model is too sure.",
    el(
      "div", {class: "grid"},
      reliability(
        "What is said, as it is and tempered.",
        [{name: "as it is", bins: c.before.bins}, {name: "tempered", bins: c.after.bins}], 300),
      el(
        "div", {},
        el(
          "p", {},
          `${words}: the factor ${number(c.scale)} on their logarithms would fit these rows best.`),
        plainTable({
          caption: `Judged on halves of ${count(c.rows)} rows that the factor was not fitted on.`,
          heads: ["", "calibration error", "log loss"],
          lines: [["as it is", c.before], ["tempered", c.after]].map(
            ([name, one]) => [name, percent(one.error), number(one.log_loss, 4)])
        }))),
    facts.worst_calibrated.length ? el("h3", {}, "The classes that are furthest off") : null,
    el(
      "div", {class: "small-grid"},
      facts.worst_calibrated.map(
        (one) => reliability(
          `${cut(className(one.k), 24)}: off by ${percent(one.error)}`,
          [{name: className(one.k), bins: one.bins}], 170))));
}

function marginSection() {
  const m = facts.margins;
  const parts = [{name: "these rows", ...m.here, fill: true}];
  if (m.train) parts.push({name: m.source, ...m.train});
  const caption =
    "Margins: by how much the score of a row's class exceeds the best of the others." +
    (m.train ? " Far apart, the model knows its training rows better than these." : "");
  section("margins", "Margins", null, histograms(caption, parts, "margin"));
}

function curveSection() {
  const c = facts.curves;
  if (!c.rounds.length && !c.here) return;
  const holder = el("div");
  const show = (byTime) => {
    const made = byTime ? curveCharts({...c, here: null}, c.seconds, "seconds of training")
                        : curveCharts(c, c.rounds, "rounds");
    holder.replaceChildren(
      el("div", {class: "grid"}, made.figures),
      made.rest.length ? el(
                           "details", {}, el("summary", {}, "Other figures of the rounds"),
                           el("div", {class: "small-grid"}, made.rest))
                       : "");
    redrawAll();
  };
  const words = `The model has ${plural(c.kept, "round")}` +
    (c.logged > c.kept ? ` of ${count(c.logged)} that were run` : "") +
    (c.stop_reason && c.stop_reason !== "(empty)" ? `; training ended: ${c.stop_reason}.` : ".");
  section(
    "curves", "Learning curves", words,
    c.seconds
      ? el(
          "div", {class: "controls"},
          el(
            "label", {}, "Against",
            el(
              "select",
              {id: "curve-axis", onchange: (event) => show(event.target.value === "time")},
              el("option", {value: "rounds"}, "rounds"), el("option", {value: "time"}, "time"))))
      : null,
    holder);
  show(false);
}

function importanceSection() {
  const f = facts.importance;
  if (!f.features.length) return;
  const bars = el(
    "table", {}, el("caption", {}, `Share of all ${f.gain ? "gain of splits" : "splits"}.`),
    el(
      "tbody", {},
      f.features.map(
        (name, i) => el(
          "tr", {}, el("th", {scope: "row", class: "text"}, named(name)),
          el("td", {class: "text"}, barred(f.shares[i], f.shares[0]))))));
  const parts = [el(
    "div", {class: "scroll", tabindex: 0, role: "region", "aria-label": "Importance of features"},
    bars)];
  if (f.classes) {
    const most = Math.max(1, ...f.classes.map((line) => Math.max(...line)));
    const grid = heatGrid({
      id: "importance-grid",
      label: "Importance of features for each class; arrow keys move.",
      say: (i, j) =>
        [named(f.features[i]), ` has ${f.classes[i][facts.order[j]]}${NARROW}% of what tells `,
         nameOf(facts.order[j]), " from the others."]
    });
    parts.push(el("h3", {}, "For each class"), grid.node);
    section("importance", "Features", null, ...parts);
    grid.update({
      lines: f.features.map((name) => ({name})),
      columns: facts.order.map((k) => ({name: className(k)})),
      tall: 18,
      columnTitle: "classes, as in the confusions",
      cells: f.classes.flatMap((line, i) => facts.order.map((k, j) => [i, j, line[k] / most])),
      hint: `The darkest cell is ${most}${NARROW}% of what tells one class from the others.`
    });
  } else
    section("importance", "Features", null, ...parts);
}

function rowSections() {
  const why = facts.hardest.some((row) => row.why);
  if (facts.hardest.length)
    section("hardest", "Hardest rows", "Rows whose own class is the furthest behind.", table({
              id: "hardest-table",
              caption: "Rows count from 1, without a heading.",
              columns: rowColumns(facts.row_features, why),
              rows: facts.hardest,
              most: 15,
              search: (row) => className(row.truth) + " " + className(row.said)
            }));
  if (!facts.verdict.calibration) return;
  const s = facts.suspects;
  const words = s.count
    ? `The labels of ${plural(s.count, "row")} are more likely wrong than right.`
    : "No label is more likely wrong than right.";
  const columns = [
    {title: "wrong with a chance of", value: (row) => row.wrong, show: (row) => percent(row.wrong)},
    ...rowColumns(facts.row_features, false)
  ];
  section(
    "suspects", "Labels to check", `${words} Judged by ${facts.card.judged_by}.`,
    s.count ? table({
      id: "suspect-table",
      caption: s.count > s.rows.length ? `The clearest ${s.rows.length}.` : "The clearest first.",
      columns,
      rows: s.rows,
      most: 15,
      search: (row) => className(row.truth) + " " + className(row.said)
    })
            : null);
}

function cardSection() {
  const c = facts.card;
  section(
    "card", "Card", null, card([
      [
        "data",
        el("bdi", {}, `${c.data}: ${plural(c.rows, "row")}${c.weighted ? ", weighted" : ""}`)
      ],
      ["training rows", c.train ? el("bdi", {}, `${c.train}: ${plural(c.train_rows, "row")}`) : ""],
      ["judged by", c.judged_by],
      [
        "features",
        `${count(c.features)}${
          c.categorical ? `, ${count(c.categorical)} of them categorical` : ""}`
      ],
      ["classes", count(c.classes)], ["algorithm", c.algorithm],
      [
        "model",
        `${plural(c.rounds, "round")}, ${plural(c.trees, "tree")}, ${
          plural(c.outputs, "output")}, ${count(c.bytes)} bytes`
      ],
      [
        "members",
        c.members.map((one) => `${one.name.replace(/: 1 rounds$/, "")} (${number(one.weight, 2)})`)
          .join(", ")
      ],
      ["SHA-256 of the model", el("code", {}, c.sha256)], ["simplexboost", c.version],
      ["seed of the draws", count(c.seed)]
    ]),
    el(
      "pre", {id: "command"},
      `simplexboost train ${c.train || "TRAINING-ROWS"} --model MODEL${c.train_options}` +
        (c.command ? "\n" + c.command : "")),
    el(
      "details", {}, el("summary", {}, "Settings of the training"),
      card(Object.entries(c.settings))));
}

header(
  ["Report on ", named(facts.card.data)],
  `${facts.card.algorithm}, ${plural(facts.card.rounds, "round")}, ${
    plural(facts.classes.length, "class", "classes")}`);
verdictSection();
classSection();
confusionSection();
pairSection();
calibrationSection();
marginSection();
curveSection();
mapSection();
importanceSection();
effectSection();
rowSections();
cardSection();
document.getElementById("foot").append(
  "Made by simplexboost ", facts.card.version, ". The page holds all its data and loads nothing.");
