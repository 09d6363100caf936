// Two models on the same rows.
const [first, second] = facts.models;
const letters = ["A", "B"];

function outcomeSection() {
  const f = facts.figures, a = facts.agreement;
  const line = (title, one, show) => el(
    "tr", {}, el("th", {scope: "row", class: "text"}, title),
    [one.first, one.second].map(
      (value) => el("td", {}, show(value[0]), el("div", {class: "soft"}, between(value, show)))),
    el(
      "td", {},
      (one.difference[0] > 0     ? "+"
         : one.difference[0] < 0 ? "−"
                                 : "") +
        show(Math.abs(one.difference[0])),
      el(
        "div", {class: "soft"},
        between(one.difference, (v) => (v < 0 ? "−" : "") + show(Math.abs(v))))));
  const d = f.error.difference, sure = d[1] > 0 || d[2] < 0;
  const better = d[0] < 0 ? "B" : "A";
  const words = d[0] === 0 && !sure ? "Both err equally often."
    : sure
    ? `${better} errs less: by ${percent(Math.abs(d[0]))} of the rows, and with a chance of 95${
        NARROW}% by ${between(d[0] < 0 ? [0, -d[2], -d[1]] : d, percent)}.`
    : `Which of them errs less cannot be said from these ${count(facts.rows)} rows.`;
  section(
    "outcome", "Outcome", null, el("p", {class: "lead"}, words),
    el(
      "div", {class: "scroll"},
      el(
        "table", {},
        el("caption", {}, "Intervals of 95 %: the same rows drawn again 1,000 times for both."),
        el(
          "thead", {},
          el("tr", {}, ["", "A", "B", "B less A"].map((title) => el("th", {scope: "col"}, title)))),
        el(
          "tbody", {}, line("wrong", f.error, percent),
          f.log_loss ? line("log loss", f.log_loss, (v) => number(v, 4)) : null))),
    el("h3", {}, "Right and wrong together"),
    el(
      "div", {class: "scroll"},
      el(
        "table", {id: "agreement"},
        el(
          "thead", {},
          el("tr", {}, ["", "B right", "B wrong"].map((title) => el("th", {scope: "col"}, title)))),
        el(
          "tbody", {},
          el(
            "tr", {}, el("th", {scope: "row", class: "text"}, "A right"),
            el("td", {}, count(a.both_right)), el("td", {}, count(a.only_first))),
          el(
            "tr", {}, el("th", {scope: "row", class: "text"}, "A wrong"),
            el("td", {}, count(a.only_second)), el("td", {}, count(a.both_wrong)))))),
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
    {title: "class", text: true, value: (row) => className(row.k), show: (row) => nameOf(row.k)},
    {title: "rows", value: (row) => row.rows, show: (row) => count(row.rows)},
    {title: "recall of A", value: (row) => row.a, show: (row) => barred(row.a)},
    {title: "recall of B", value: (row) => row.b, show: (row) => barred(row.b)},
    {
      title: "B less A",
      value: (row) => row.b - row.a,
      show: (row) => (row.b > row.a     ? "+"
                        : row.b < row.a ? "−"
                                        : "") +
        percent(Math.abs(row.b - row.a))
    },
    {title: "only A right", value: (row) => row.onlyA, show: (row) => count(row.onlyA)},
    {title: "only B right", value: (row) => row.onlyB, show: (row) => count(row.onlyB)},
    {
      title: "by chance",
      help: "McNemar's exact test within the class; of many classes some are small by chance",
      value: (row) => row.p,
      show: (row) => number(row.p, 2)
    },
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
    {title: "row", value: (row) => row.row, show: (row) => count(row.row)},
    {
      title: "label",
      text: true,
      value: (row) => className(row.truth),
      show: (row) => nameOf(row.truth)
    },
    {
      title: "A says",
      text: true,
      value: (row) => className(row.first),
      show: (row) => nameOf(row.first)
    },
    {
      title: "B says",
      text: true,
      value: (row) => className(row.second),
      show: (row) => nameOf(row.second)
    },
    {title: "p of the label, A", value: (row) => row.p_first, show: (row) => percent(row.p_first)},
    {
      title: "p of the label, B",
      value: (row) => row.p_second,
      show: (row) => percent(row.p_second)
    },
    {
      title: "values",
      text: true,
      wide: true,
      show: (row) => el(
        "span", {class: "soft"},
        row.values.map((value, i) => `${c.features[i]} ${value}`).join(", "))
    },
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
    "models", "The two models", null,
    el(
      "div", {class: "scroll"},
      el(
        "table", {id: "models-table"},
        el("caption", {}, "What they are, and the settings in which they differ."),
        el(
          "thead", {},
          el(
            "tr", {},
            ["", "A", "B"].map((title) => el("th", {scope: "col", class: "text"}, title)))),
        el(
          "tbody", {},
          lines.map(
            ([title, key]) => el(
              "tr", {}, el("th", {scope: "row", class: "text"}, title),
              facts.models.map((one) => el("td", {class: "text wide"}, text(one[key]))))),
          names.map(
            (name) => el(
              "tr", {}, el("th", {scope: "row", class: "text"}, name),
              facts.models.map(
                (one) => el("td", {class: "text wide"}, text(one.settings[name] ?? "–")))))))),
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
