// Heat maps on canvas: a grid of any size with a cursor that pointer and arrow keys move, and the
// confusions on it, with groups that fold.

// lines, columns: [{name}]; value(i, j): 0 to 1, or null for an empty cell; say(i, j): the words
// for the cursor; act(i, j): a click or Enter. Returns {node, update}.
function heatGrid({id, label, say, act, lowest = 1}) {
  const canvas = el("canvas", {
    id,
    tabindex: 0,
    role: "application",
    "aria-roledescription": "heat map",
    "aria-label": label
  });
  const readout = el("div", {class: "readout", "aria-live": "polite", id: id + "-readout"});
  const holder = el("div", {}, canvas);
  let grid = null, cursor = null, place = null;

  function layout(width) {
    const pen = canvas.getContext("2d");
    pen.font = "11px system-ui, sans-serif";
    const room = (items, most) => Math.min(
      most, 10 + Math.max(...items.map((item) => pen.measureText(cut(item.name, 18)).width)));
    const lines = grid.lines.length, columns = grid.columns.length;
    // Names stand where there is room for them.
    const left0 = room(grid.lines, width * 0.3);
    let cell = (width - left0 - 4) / columns;
    const flat = grid.square ? Math.min(cell, 64, Math.max(640 / columns, 11)) : null;
    const tall = flat ?? Math.max(grid.tall, 1);
    const wide = grid.square ? flat : Math.min(cell, 60);
    const namedLines = tall >= 11, namedColumns = wide >= 11;
    const left = namedLines ? left0 : 16, top = namedColumns ? room(grid.columns, 120) : 16;
    const across = grid.square && !namedLines ? (width - left - 4) / columns : wide;
    const down = grid.square ? across : tall;
    return {
      left,
      top,
      wide: across,
      tall: down,
      namedLines,
      namedColumns,
      width: left + across * columns + 4,
      height: top + down * lines + 4
    };
  }
  function draw(width) {
    if (!grid) return;
    place = layout(width);
    const ratio = window.devicePixelRatio || 1;
    canvas.width = Math.ceil(place.width * ratio);
    canvas.height = Math.ceil(place.height * ratio);
    canvas.style.width = place.width + "px";
    canvas.style.height = place.height + "px";
    const pen = canvas.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    const low = colour("heat-low"), high = colour("heat-high");
    pen.fillStyle = low;
    pen.fillRect(
      place.left, place.top, place.wide * grid.columns.length, place.tall * grid.lines.length);
    for (const [i, j, share] of grid.cells) {
      pen.fillStyle = mix(low, high, Math.sqrt(Math.min(1, share)) * 0.95 + 0.05);
      // Cells of less than a pixel are drawn as one, so that none is lost.
      pen.fillRect(
        place.left + j * place.wide, place.top + i * place.tall, Math.max(place.wide, lowest),
        Math.max(place.tall, lowest));
    }
    if (grid.figure && place.wide >= 34) figures(pen);
    rules(pen);
    names(pen);
    if (cursor) mark(pen);
  }
  function figures(pen) {
    pen.font = "11px system-ui, sans-serif";
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    for (const [i, j, share] of grid.cells) {
      pen.fillStyle = Math.sqrt(share) > 0.5 ? colour("heat-low") : colour("ink");
      pen.fillText(
        grid.figure(i, j), place.left + (j + 0.5) * place.wide, place.top + (i + 0.5) * place.tall);
    }
  }
  function rules(pen) {
    const [w, h] = [place.wide * grid.columns.length, place.tall * grid.lines.length];
    pen.strokeStyle = colour("line");
    pen.lineWidth = 1;
    pen.strokeRect(place.left + 0.5, place.top + 0.5, w, h);
    pen.beginPath();
    for (const at of grid.ruleLines ?? []) {
      pen.moveTo(place.left, place.top + at * place.tall);
      pen.lineTo(place.left + w, place.top + at * place.tall);
    }
    for (const at of grid.ruleColumns ?? []) {
      pen.moveTo(place.left + at * place.wide, place.top);
      pen.lineTo(place.left + at * place.wide, place.top + h);
    }
    pen.stroke();
  }
  function names(pen) {
    pen.fillStyle = colour("soft");
    pen.font = "11px system-ui, sans-serif";
    pen.textBaseline = "middle";
    pen.textAlign = "right";
    if (place.namedLines)
      grid.lines.forEach(
        (item, i) => pen.fillText(
          cut(item.name, 18), place.left - 5, place.top + (i + 0.5) * place.tall, place.left - 6));
    pen.textAlign = "left";
    if (place.namedColumns)
      grid.columns.forEach((item, j) => {
        pen.save();
        pen.translate(place.left + (j + 0.5) * place.wide, place.top - 5);
        pen.rotate(-Math.PI / 2);
        pen.fillText(cut(item.name, 18), 0, 0, place.top - 6);
        pen.restore();
      });
    pen.textBaseline = "top";
    if (!place.namedColumns) pen.fillText(grid.columnTitle ?? "", place.left, 2);
    if (!place.namedLines) {
      pen.save();
      pen.translate(2, place.top);
      pen.rotate(-Math.PI / 2);
      pen.textAlign = "right";
      pen.fillText(grid.lineTitle ?? "", 0, 0);
      pen.restore();
    }
  }
  function mark(pen) {
    pen.strokeStyle = colour("two");
    pen.lineWidth = 2;
    const wide = Math.max(place.wide, 5), tall = Math.max(place.tall, 5);
    pen.strokeRect(
      place.left + cursor[1] * place.wide - 1, place.top + cursor[0] * place.tall - 1, wide + 2,
      tall + 2);
  }
  const again = redrawn(holder, draw);
  function move(i, j) {
    const next = [
      Math.max(0, Math.min(grid.lines.length - 1, i)),
      Math.max(0, Math.min(grid.columns.length - 1, j))
    ];
    if (cursor && cursor[0] === next[0] && cursor[1] === next[1]) return;
    cursor = next;
    readout.replaceChildren(...[say(...cursor)].flat());
    again();
  }
  function under(event) {
    const box = canvas.getBoundingClientRect();
    const j = Math.floor((event.clientX - box.left - place.left) / place.wide),
          i = Math.floor((event.clientY - box.top - place.top) / place.tall);
    return i >= 0 && j >= 0 && i < grid.lines.length && j < grid.columns.length ? [i, j] : null;
  }
  canvas.addEventListener("pointermove", (event) => {
    const at = under(event);
    if (at) move(...at);
  });
  canvas.addEventListener("click", (event) => {
    const at = under(event);
    if (at) {
      move(...at);
      act?.(...at);
    }
  });
  canvas.addEventListener("keydown", (event) => {
    const step = {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [
                    0, 1
                  ]}[event.key];
    if (step) {
      event.preventDefault();
      move((cursor ?? [0, 0])[0] + step[0], (cursor ?? [0, 0])[1] + step[1]);
    }
    if ((event.key === "Enter" || event.key === " ") && cursor) {
      event.preventDefault();
      act?.(...cursor);
    }
  });
  return {
    node: el("div", {}, holder, readout),
    update: (next) => {
      grid = next;
      cursor = null;
      readout.replaceChildren(grid.hint ?? "");
      again();
    }
  };
}

// Groups of classes that stand together, each open or folded into one line.
function makeGroups() {
  const ends = [...facts.groups.slice(1), facts.order.length];
  return facts.groups.map((from, i) => ({
                            classes: facts.order.slice(from, ends[i]),
                            folded: facts.classes.length > 150 && ends[i] - from > 1
                          }));
}
const groupName = (classes) =>
  (classes.length === 1 ? className(classes[0])
                        : classes.slice(0, 2).map((k) => cut(className(k), 9)).join(", ") +
       (classes.length > 2 ? ` +${classes.length - 2}` : ""));

function confusionSection() {
  const groups = makeGroups();
  const support = facts.table.map((line) => line[0]), said = facts.table.map((line) => line[1]);
  const state = {by: "truth", diagonal: false};
  let items = [], sums = new Map(), lineTotals = [], columnTotals = [];

  const total = (classes, of) => classes.reduce((sum, k) => sum + (of[k] ?? 0), 0);
  const rowsText = (value) => plural(value, "row");
  const grid = heatGrid({
    id: "confusion",
    label:
      "Confusions: lines are true classes, columns what is said. Arrow keys move, Enter opens a folded group.",
    say: (i, j) => {
      const value = sums.get(i * items.length + j) ?? 0;
      const what = i === j ? (items[i].classes.length > 1 ? "within the group: " : "right: ") : "";
      return [
        el("b", {}, "True "), named(groupName(items[i].classes)), el("b", {}, ", said "),
        named(groupName(items[j].classes)), ": " + what + rowsText(value),
        ` (${percent(value / lineTotals[i])} of the true class, ${
          percent(value / columnTotals[j])} of what is said)`,
        ...(
          i !== j && items[i].classes.length === 1 && items[j].classes.length === 1
            ? pairRows(items[i].classes[0], items[j].classes[0])
            : [])
      ];
    },
    act: (i, j) => {
      for (const item of [items[i], items[j]])
        if (item.group.folded) item.group.folded = false;
      refresh();
    },
  });
  const chips = el("div", {class: "chips", id: "groups"});

  function refresh() {
    items = groups.flatMap(
      (group) =>
        (group.folded ? [{classes: group.classes, group}]
                      : group.classes.map((k) => ({classes: [k], group}))));
    const at = new Map(items.flatMap((item, i) => item.classes.map((k) => [k, i])));
    sums = new Map();
    const n = items.length, cells = facts.confusion.cells;
    const add = (i, j, value) => sums.set(i * n + j, (sums.get(i * n + j) ?? 0) + value);
    for (let c = 0; c < cells.length; c += 3)
      add(at.get(cells[c]), at.get(cells[c + 1]), cells[c + 2]);
    if (state.diagonal)
      facts.confusion.diagonal.forEach((value, k) => {
        if (value > 0) add(at.get(k), at.get(k), value);
      });
    lineTotals = items.map((item) => total(item.classes, support));
    columnTotals = items.map((item) => total(item.classes, said));
    const scaled = (i, j, value) =>
      (state.by === "truth"    ? value / lineTotals[i]
         : state.by === "said" ? value / columnTotals[j]
                               : value);
    const list = [...sums]
                   .map(([key, value]) => [Math.floor(key / n), key % n, value])
                   .map(([i, j, value]) => [i, j, scaled(i, j, value)]);
    const most = list.reduce((m, cell) => Math.max(m, cell[2]), 0) || 1;
    const rule = [];
    items.forEach((item, i) => {
      if (
        i > 0 && item.group !== items[i - 1].group &&
        (item.group.classes.length > 1 || items[i - 1].group.classes.length > 1))
        rule.push(i);
    });
    grid.update({
      lines: items.map((item) => ({name: groupName(item.classes)})),
      columns: items.map((item) => ({name: groupName(item.classes)})),
      cells: list.map(([i, j, value]) => [i, j, value / most]).sort((a, b) => a[2] - b[2]),
      square: true,
      ruleLines: rule,
      ruleColumns: rule,
      figure: (i, j) =>
        (state.by === "count" ? count(sums.get(i * n + j))
                              : percent(scaled(i, j, sums.get(i * n + j)))),
      lineTitle: "true class",
      columnTitle: "what is said",
      hint: `The darkest cell is ${
        state.by === "count" ? rowsText(most)
                             : percent(most)}. Point at a cell, or move with the arrow keys.`,
    });
    chips.replaceChildren(...groups.filter((group) => group.classes.length > 1)
                            .map(
                              (group) => el(
                                "button", {
                                  type: "button",
                                  "aria-pressed": String(group.folded),
                                  title: group.classes.map(className).join(", "),
                                  onclick: () => {
                                    group.folded = !group.folded;
                                    refresh();
                                  }
                                },
                                named(groupName(group.classes)))));
  }
  const fold = (folded) => () => {
    groups.forEach((group) => {
      group.folded = folded && group.classes.length > 1;
    });
    refresh();
  };
  const some = groups.some((group) => group.classes.length > 1);
  const controls = el(
    "div", {class: "controls"},
    el(
      "label", {}, "Shade by",
      el(
        "select", {
          id: "confusion-by",
          onchange: (event) => {
            state.by = event.target.value;
            refresh();
          }
        },
        el("option", {value: "truth"}, "share of the true class"),
        el("option", {value: "said"}, "share of what is said"),
        el("option", {value: "count"}, "number of rows"))),
    el(
      "label", {}, el("input", {
        type: "checkbox",
        id: "confusion-diagonal",
        onchange: (event) => {
          state.diagonal = event.target.checked;
          refresh();
        }
      }),
      "show what is right, too"),
    some ? el("button", {type: "button", id: "fold-all", onclick: fold(true)}, "Fold all groups")
         : null,
    some ? el("button", {type: "button", id: "open-all", onclick: fold(false)}, "Open all") : null);
  const left = facts.confusion.left_out > 0
    ? el(
        "p", {class: "soft"},
        `Rare confusions of ${rowsText(facts.confusion.left_out)} in all are not shown.`)
    : null;
  section(
    "confusions", "Confusions",
    "Lines are the true classes, columns what the model says. Classes that are taken for each other stand together.",
    controls, grid.node,
    some ? el(
             "details", {open: facts.classes.length > 150 ? true : null},
             el("summary", {}, "Groups: press one to fold it"), chips)
         : null,
    left);
  refresh();
}

// The examples of a pair, where it is among the worst.
function pairRows(truth, said) {
  const pair = facts.pairs.find((one) => one.truth === truth && one.said === said);
  return pair
    ? [el("br"), "For example row ", pair.rows.map((row) => count(row.row)).join(", "), "."]
    : [];
}
