// Rows and classes in the plane.
function mapSection() {
  const map = facts.map;
  const views = {likeness: "classes by confusion", axes: "main directions of the scores"};
  const state = {view: "likeness", chosen: -1, hover: -1};
  const canvas = el("canvas", {
    id: "map-canvas",
    role: "img",
    tabindex: 0,
    "aria-label":
      "Map of rows and classes. The list of the worst pairs says in words which classes lie close."
  });
  const holder = el("div", {}, canvas);
  const n = map.rows.length / 3;
  let at = null;

  function draw(width) {
    const size = Math.min(width, 760), tall = Math.round(size * 0.74),
          ratio = window.devicePixelRatio || 1;
    canvas.width = size * ratio;
    canvas.height = tall * ratio;
    canvas.style.width = size + "px";
    canvas.style.height = tall + "px";
    const pen = canvas.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, size, tall);
    const places = map[state.view];
    at = {x: (v) => size / 2 + v * (size / 2 - 34), y: (v) => tall / 2 - v * (tall / 2 - 16)};
    const order = [...Array(n).keys()].sort((a, b) => wrong(a) - wrong(b));
    for (const i of order) {
      const other = state.chosen >= 0 && map.rows[3 * i + 1] !== state.chosen &&
        map.rows[3 * i + 2] !== state.chosen;
      pen.globalAlpha = other ? 0.08 : wrong(i) ? 0.9 : 0.35;
      pen.strokeStyle = pen.fillStyle = colour(wrong(i) ? "two" : "one");
      const x = at.x(places.rows[2 * i]), y = at.y(places.rows[2 * i + 1]);
      pen.beginPath();
      // Wrong rows are crosses: they differ by more than colour.
      if (wrong(i)) {
        pen.lineWidth = 1.5;
        pen.moveTo(x - 3, y - 3);
        pen.lineTo(x + 3, y + 3);
        pen.moveTo(x - 3, y + 3);
        pen.lineTo(x + 3, y - 3);
        pen.stroke();
      } else {
        pen.arc(x, y, 2.2, 0, 2 * Math.PI);
        pen.fill();
      }
    }
    pen.globalAlpha = 1;
    labels(pen, places, size);
  }
  const wrong = (i) => map.rows[3 * i + 1] !== map.rows[3 * i + 2];
  // Names where there is room, those of the classes with the most errors first.
  function labels(pen, places, size) {
    pen.font = "600 11px system-ui, sans-serif";
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    const taken = [];
    const errors = facts.table.map(
      (line, k) => (k === state.chosen ? Infinity : line[0] * (1 - (line[2] ?? 1))));
    for (const k of [...facts.classes.keys()].sort((a, b) => errors[b] - errors[a])) {
      const text = cut(className(k), 14), half = pen.measureText(text).width / 2 + 4;
      const x = Math.max(half + 1, Math.min(size - half - 1, at.x(places.classes[2 * k]))),
            y = at.y(places.classes[2 * k + 1]);
      const box = [x - half, y - 9, x + half, y + 9];
      pen.fillStyle = pen.strokeStyle = colour("ink");
      if (taken.some((b) => b[0] < box[2] && b[2] > box[0] && b[1] < box[3] && b[3] > box[1])) {
        pen.globalAlpha = 0.5;
        pen.fillRect(x - 1.5, y - 1.5, 3, 3);
        pen.globalAlpha = 1;
        continue;
      }
      if (taken.push(box) > 80) break;
      pen.fillStyle = colour("card");
      pen.globalAlpha = 0.82;
      pen.fillRect(box[0], box[1], box[2] - box[0], 18);
      pen.globalAlpha = 1;
      pen.lineWidth = k === state.chosen ? 2 : 0.6;
      pen.strokeRect(box[0], box[1], box[2] - box[0], 18);
      pen.fillStyle = colour("ink");
      pen.fillText(text, x, y);
    }
  }
  canvas.addEventListener("pointermove", (event) => {
    const box = canvas.getBoundingClientRect(), places = map[state.view];
    let best = -1, far = 10;
    for (let i = 0; i < n; ++i) {
      const d = Math.hypot(
        at.x(places.rows[2 * i]) - event.clientX + box.left,
        at.y(places.rows[2 * i + 1]) - event.clientY + box.top);
      if (d < far) {
        far = d;
        best = i;
      }
    }
    if (best < 0) return hideTip();
    showTip(
      event,
      `row ${count(map.rows[3 * best])}: ${className(map.rows[3 * best + 1])}` +
        (wrong(best) ? `, said ${className(map.rows[3 * best + 2])}` : ""));
  });
  canvas.addEventListener("pointerleave", hideTip);
  const again = redrawn(holder, draw);
  const share = map.axes.share;
  const hint = el("p", {class: "soft"});
  const say = () => {
    hint.textContent = state.view === "likeness"
      ? "Classes stand near those that they are taken for; a row stands among the classes it is said to be of, by their probabilities. Dots are right, crosses wrong."
      : `The two directions in which the class scores differ most (${
          percent(
            share)} of all that differs), with the codewords of the classes drawn at the scale of the rows. Dots are right, crosses wrong.`;
  };
  const controls = el(
    "div", {class: "controls"},
    el(
      "label", {}, "View",
      el(
        "select", {
          id: "map-view",
          onchange: (event) => {
            state.view = event.target.value;
            say();
            again();
          }
        },
        Object.entries(views).map(([key, name]) => el("option", {value: key}, name)))),
    el(
      "label", {}, "Class",
      el(
        "select", {
          id: "map-class",
          onchange: (event) => {
            state.chosen = Number(event.target.value);
            again();
          }
        },
        el("option", {value: -1}, "all"),
        facts.order.map((k) => el("option", {value: k}, cut(className(k), 40))))));
  say();
  section("map", "Map", null, controls, hint, el("figure", {}, holder), distances());
}

function distances() {
  const pairs = facts.map.distances.pairs, x = [], y = [], who = [];
  const support = facts.table.map((line) => line[0]);
  for (let i = 0; i < pairs.length; i += 4) {
    if (!known(pairs[i + 2]) || !support[pairs[i]]) continue;
    x.push(pairs[i + 2]);
    y.push(pairs[i + 3] / support[pairs[i]]);
    who.push([pairs[i], pairs[i + 1]]);
  }
  if (!x.length) return null;
  const codewords = facts.map.distances.codewords;
  const caption = codewords
    ? "Distance of two codewords, and the share of the one class that is taken for the other."
    : "All codewords are equally far apart; so here it is the distance of the mean scores of two classes, and the share of the one that is taken for the other.";
  return el(
    "div", {},
    el(
      "h3", {},
      codewords ? "Distances of codewords beside confusions"
                : "Distances of classes beside confusions"),
    chart({
      caption,
      series: [{
        name: "pairs",
        x,
        y,
        points: true,
        opacity: 0.5,
        say: (i) => `${className(who[i][0])}, said ${className(who[i][1])}: ${percent(y[i])}`
      }],
      x: {label: codewords ? "distance of codewords" : "distance of mean scores"},
      y: {low: 0, show: (v) => percent(v, v && v < 0.01 ? 1 : 0)},
      legends: false,
      height: 220
    }));
}
