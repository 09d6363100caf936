// Tables that sort by a click on a heading, and are searched by what is typed.
// columns: [{title, help, text: whether it is text, value: (row) => what sorts, show: (row) => what
// is seen}]. search: (row) => text, or null. The first `most` lines are shown until all are asked
// for.
function table({caption, columns, rows, search = null, sort = null, most = 60, id, filters = []}) {
  const state =
    {column: sort ? sort[0] : -1, down: sort ? sort[1] : false, words: "", all: false, filter: 0};
  const body = el("tbody");
  const heads = columns.map(
    (column, i) => column.value
      ? el(
          "th",
          {scope: "col", class: column.text ? "text" : "", "aria-sort": "none", title: column.help},
          el("button", {type: "button", onclick: () => by(i)}, column.title))
      : el(
          "th", {scope: "col", class: column.text ? "text" : "", title: column.help},
          column.title));
  const told = el("span", {class: "soft", "aria-live": "polite"});
  const more = el("button", {
    type: "button",
    onclick: () => {
      state.all = true;
      fill();
    }
  });

  function by(i) {
    state.down = state.column === i ? !state.down : !columns[i].text;
    state.column = i;
    fill();
  }
  function wanted() {
    const words = state.words.toLowerCase();
    let list = rows.filter(
      (row) => (!words || search(row).toLowerCase().includes(words)) &&
        (!filters.length || filters[state.filter].keep(row)));
    const column = columns[state.column];
    if (!column) return list;
    const order = (a, b) => {
      const x = column.value(a), y = column.value(b);
      const missing = (v) => v === null || v === undefined || Number.isNaN(v);
      if (missing(x) || missing(y)) return missing(x) - missing(y);
      const sign = typeof x === "string" ? x.localeCompare(y, "en", {numeric: true}) : x - y;
      return state.down ? -sign : sign;
    };
    return [...list].sort(order);
  }
  function fill() {
    heads.forEach((head, i) => {
      if (columns[i].value)
        head.setAttribute(
          "aria-sort",
          i !== state.column ? "none"
            : state.down     ? "descending"
                             : "ascending");
    });
    const list = wanted();
    const shown = state.all ? list : list.slice(0, most);
    body.replaceChildren(...shown.map(
      (row) => el(
        "tr", {},
        columns.map(
          (column) => el(
            "td", {class: [column.text ? "text" : "", column.wide ? "wide" : ""].join(" ").trim()},
            column.show(row))))));
    told.textContent =
      list.length === rows.length ? "" : `${count(list.length)} of ${count(rows.length)}`;
    more.hidden = shown.length === list.length;
    more.textContent = `Show all ${count(list.length)}`;
  }
  fill();
  const controls = el(
    "div", {class: "controls"},
    search ? el("label", {}, "Search", el("input", {
                  type: "search",
                  id: id + "-search",
                  oninput: (event) => {
                    state.words = event.target.value;
                    fill();
                  }
                }))
           : null,
    filters.length ? el(
                       "label", {}, "Show",
                       el(
                         "select", {
                           id: id + "-filter",
                           onchange: (event) => {
                             state.filter = Number(event.target.value);
                             fill();
                           }
                         },
                         filters.map((one, i) => el("option", {value: i}, one.name))))
                   : null,
    told);
  return el(
    "div", {id}, search || filters.length ? controls : null,
    el(
      "div", {class: "scroll", tabindex: 0, role: "region", "aria-label": caption},
      el("table", {}, el("caption", {}, caption), el("thead", {}, el("tr", {}, heads)), body)),
    el("div", {class: "controls"}, more));
}

// Columns of tables. `of` takes what is shown from a row: the number of a class, or a value.
const classColumn = (title, of) =>
  ({title, text: true, value: (row) => className(of(row)), show: (row) => nameOf(of(row))});
const numberColumn = (title, of, show = count, help = undefined) =>
  ({title, help, value: of, show: (row) => show(of(row))});
// The values of a row's features, in words.
const rowValues = (row, features) =>
  row.values.map((value, i) => `${features[i]} ${value}`).join(", ");
const valuesColumn = (features) => ({
  title: "values",
  text: true,
  wide: true,
  show: (row) => el("span", {class: "soft"}, rowValues(row, features))
});

// A table that stays as it is: lines of [title, ...cells].
function plainTable({caption = null, id, heads, lines, cell = ""}) {
  return el(
    "div", {class: "scroll"},
    el(
      "table", {id}, caption ? el("caption", {}, caption) : null,
      el(
        "thead", {},
        el("tr", {}, heads.map((title) => el("th", {scope: "col", class: cell && "text"}, title)))),
      el(
        "tbody", {},
        lines.map(
          ([title, ...cells]) => el(
            "tr", {}, el("th", {scope: "row", class: "text"}, title),
            cells.map((one) => el("td", {class: cell}, one)))))));
}

// A share with a bar, which is full at `most`.
function barred(value, most = 1) {
  if (!known(value)) return "–";
  const bar = el("span", {class: "bar", "aria-hidden": "true"});
  bar.style.width = (3.2 * Math.max(0, Math.min(1, value / most))).toFixed(2) + "rem";
  return [bar, percent(value)];
}
