// Two models on the same rows.
const [first, second] = facts.models;
const letters = ["A", "B"];

function outcomeSection() {
  const f = facts.figures, a = facts.agreement;
  const signed = (value, show) => (value < 0 ? "−" : "") + show(Math.abs(value));
  const line = (title, one, show) =>
    [title,
     ...[one.first, one.second].map(
       (value) => [show(value[0]), el("div", {class: "soft"}, between(value, show))]),
     [
       (one.difference[0] > 0 ? "+" : "") + signed(one.difference[0], show),
       el("div", {class: "soft"}, between(one.difference, (v) => signed(v, show)))
     ]];
  const d = f.error.difference, sure = d[1] > 0 || d[2] < 0;
  const better = d[0] < 0 ? "B" : "A";
  const words = d[0] === 0 && !sure ? "Both err equally often."
    : sure
    ? `${better} errs less: by ${percent(Math.abs(d[0]))} of the rows, and with a chance of 95${
        NARROW}% by ${between(d[0] < 0 ? [0, -d[2], -d[1]] : d, percent)}.`
    : `Which of them errs less cannot be said from these ${count(facts.rows)} rows.`;
  section(
    "outcome", "Outcome", null, el("p", {class: "lead"}, words), plainTable({
      caption: "Intervals of 95 %: the same rows drawn again 1,000 times for both.",
      heads: ["", "A", "B", "B less A"],
      lines: [
        line("wrong", f.error, percent),
        ...(f.log_loss ? [line("log loss", f.log_loss, (v) => number(v, 4))] : [])
      ]
    }),
    el("h3", {}, "Right and wrong together"), plainTable({
      id: "agreement",
      heads: ["", "B right", "B wrong"],
      lines: [
        ["A right", count(a.both_right), count(a.only_first)],
        ["A wrong", count(a.only_second), count(a.both_wrong)]
      ]
    }),
    el(
      "p", {},
      `They say the same of ${count(a.same_answer)} rows. A alone is right on ${
        count(a.only_first)}, B alone on ${
        count(
          a.only_second)}: by chance alone so uneven a split, or more so, would come with a probability of ${
        number(a.p_value, 2)} (McNemar's exact test).`));
}

function scatterSection() {
  const s = facts.scatter;
  if (!s.length) return;
  const x = [], y = [], who = [];
  for (let i = 0; i < s.length; i += 4) {
    who.push([s[i], s[i + 1]]);
    x.push(s[i + 2]);
    y.push(s[i + 3]);
  }
  const show = (v) => percent(v, 0);
  section(
    "scatter", "Probability of the true class", null, chart({
      caption:
        "A row each: by A across, by B upwards; above the dashed line B is surer of the truth.",
      height: 380,
      even: true,
      legends: false,
      series: [{
        name: "rows",
        x,
        y,
        points: true,
        opacity: 0.35,
        say: (i) =>
          `row ${count(who[i][0])}, ${className(who[i][1])}: A ${percent(x[i])}, B ${percent(y[i])}`
      }],
      x: {label: "A", low: 0, high: 1, show},
      y: {low: 0, high: 1, show}
    }));
}

function comparedClasses() {
  const rows =
    facts.table
      .map(
        (line, k) =>
          ({k, rows: line[0], a: line[1], b: line[2], onlyA: line[3], onlyB: line[4], p: line[5]}))
      .filter((row) => row.rows > 0);
  const columns = [
    classColumn("class", (row) => row.k),
    numberColumn("rows", (row) => row.rows),
    numberColumn("recall of A", (row) => row.a, barred),
    numberColumn("recall of B", (row) => row.b, barred),
    {
      title: "B less A",
      value: (row) => row.b - row.a,
      show: (row) => (row.b > row.a     ? "+"
                        : row.b < row.a ? "−"
                                        : "") +
        percent(Math.abs(row.b - row.a))
    },
    numberColumn("only A right", (row) => row.onlyA),
    numberColumn("only B right", (row) => row.onlyB),
    numberColumn(
      "by chance", (row) => row.p, (p) => number(p, 2),
      "McNemar's exact test within the class; of many classes some are small by chance"),
  ];
  section("classes", "Classes", null, table({
            id: "class-table",
            caption: "A click on a heading sorts.",
            columns,
            rows,
            search: (row) => className(row.k),
            sort: [4, false]
          }));
}

function changedSection() {
  const c = facts.changed;
  const rows = c.rows;
  const columns = [
    numberColumn("row", (row) => row.row),
    classColumn("label", (row) => row.truth),
    classColumn("A says", (row) => row.first),
    classColumn("B says", (row) => row.second),
    numberColumn("p of the label, A", (row) => row.p_first, percent),
    numberColumn("p of the label, B", (row) => row.p_second, percent),
    valuesColumn(c.features),
  ].filter((column) => facts.figures.log_loss || !column.title.startsWith("p of"));
  const filters = [
    {name: "all that changed", keep: () => true},
    {name: "only B right", keep: (row) => row.second === row.truth},
    {name: "only A right", keep: (row) => row.first === row.truth},
    {name: "both wrong", keep: (row) => row.first !== row.truth && row.second !== row.truth}
  ];
  section(
    "changed", "Rows that changed",
    `Of ${plural(c.count, "row")} the two say different things` +
      (c.count > rows.length
         ? `; here are the ${count(rows.length)} whose label changed its probability most.`
         : "."),
    rows.length ? table({
      id: "changed-table",
      caption: "Rows count from 1, without a heading.",
      columns,
      rows,
      filters,
      search: (row) => [row.truth, row.first, row.second].map(className).join(" "),
      most: 25
    })
                : null);
}

function modelSection() {
  const names =
    [...new Set([...Object.keys(first.settings), ...Object.keys(second.settings)])].filter(
      (name) => first.settings[name] !== second.settings[name]);
  const lines = [
    ["file", "name"], ["algorithm", "algorithm"], ["rounds", "rounds"], ["trees", "trees"],
    ["bytes", "bytes"], ["features", "features"], ["classes", "classes"], ["SHA-256", "sha256"]
  ];
  const text = (value) => (typeof value === "number" ? count(value) : el("bdi", {}, value));
  section(
    "models", "The two models", null, plainTable({
      id: "models-table",
      caption: "What they are, and the settings in which they differ.",
      heads: ["", "A", "B"],
      cell: "text wide",
      lines: [
        ...lines.map(([title, key]) => [title, ...facts.models.map((one) => text(one[key]))]),
        ...names.map(
          (name) => [name, ...facts.models.map((one) => text(one.settings[name] ?? "–"))])
      ]
    }),
    card([
      ["data", el("bdi", {}, `${first.data}: ${plural(facts.rows, "row")}`)],
      ["simplexboost", first.version]
    ]),
    first.command ? el("pre", {id: "command"}, first.command) : null);
}

header(
  ["A: ", named(first.name), ", B: ", named(second.name)],
  `Two models on the same ${plural(facts.rows, "row")}`);
outcomeSection();
scatterSection();
comparedClasses();
changedSection();
modelSection();
document.getElementById("foot").append(
  "Made by simplexboost ", first.version, ". The page holds all its data and loads nothing.");
