// What every page uses: facts, elements, numbers in words, sections, the theme.
const facts = JSON.parse(document.getElementById("facts").textContent);
const root = document.documentElement;
const NARROW = "\u202f";  // a thin space, at which no line ends

// An element with properties, handlers (onclick ...), attributes and children. Text stays text.
function el(tag, given = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on"))
      node.addEventListener(name.slice(2), value);
    else if (name === "class")
      node.className = value;
    else
      node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return node;
}

function svg(tag, attributes = {}, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

const known = (value) => typeof value === "number" && Number.isFinite(value);
const count = (value) =>
  (known(value) ? value.toLocaleString("en-US", {maximumFractionDigits: 1}) : "–");
function number(value, digits = 3) {
  if (!known(value)) return "–";
  if (value !== 0 && Math.abs(value) < 1e-4) return value.toExponential(1);
  return Number(value.toPrecision(digits)).toLocaleString("en-US", {maximumFractionDigits: 6});
}
function percent(value, digits) {
  if (!known(value)) return "–";
  const places = digits ??
    (Math.abs(value) >= 0.9995 || value === 0 ? 0
       : Math.abs(value) < 0.01               ? 2
                                              : 1);
  return (100 * value).toFixed(places) + NARROW + "%";
}
const between = (interval, show) => `${show(interval[1])} to ${show(interval[2])}`;
const upper = (text) => text.charAt(0).toUpperCase() + text.slice(1);
const plural = (n, one, many = one + "s") => `${count(n)} ${n === 1 ? one : many}`;

const className = (k) => (k >= 0 ? facts.classes[k] : "(unknown class)");
// A name from the data, which cannot turn the text around it.
const named = (text) => el("bdi", {title: text}, text);
const nameOf = (k) => named(className(k));
const cut = (text, most) =>
  (Array.from(text).length > most ? Array.from(text).slice(0, most - 1).join("") + "…" : text);

// A part of the page, which the contents list.
function section(id, title, intro, ...content) {
  const heading = el("h2", {id: id + "-title"}, title);
  const part = el(
    "section", {id, "aria-labelledby": id + "-title"}, heading,
    intro ? el("p", {class: "soft"}, intro) : null, ...content);
  document.getElementById("page").append(part);
  document.getElementById("contents").append(el("a", {href: "#" + id}, title));
  return part;
}

const tip = document.getElementById("tip");
function showTip(event, text) {
  tip.textContent = text;
  tip.hidden = false;
  const x = Math.min(event.clientX + 14, window.innerWidth - tip.offsetWidth - 8);
  const y = event.clientY + 18 + tip.offsetHeight > window.innerHeight
    ? event.clientY - tip.offsetHeight - 10
    : event.clientY + 18;
  tip.style.left = Math.max(4, x) + "px";
  tip.style.top = y + "px";
}
const hideTip = () => {
  tip.hidden = true;
};

// Drawn again when the room changes, the theme, or paper takes the place of the screen.
const drawings = [];
function redrawn(node, draw) {
  let width = 0;
  const again = () => {
    if (!node.isConnected || node.clientWidth === 0) return;
    width = node.clientWidth;
    draw(width);
  };
  new ResizeObserver(() => {
    if (Math.abs(node.clientWidth - width) > 4) again();
  }).observe(node);
  drawings.push(again);
  return again;
}
const redrawAll = () => drawings.forEach((draw) => draw());
// Paper is light.
let screenTheme = "light";
window.addEventListener("beforeprint", () => {
  screenTheme = root.dataset.theme;
  setTheme("light");
});
window.addEventListener("afterprint", () => setTheme(screenTheme));

const colour = (name) => getComputedStyle(root).getPropertyValue("--" + name).trim();
function mix(low, high, share) {
  const parts = (text) => [1, 3, 5].map((i) => parseInt(text.slice(i, i + 2), 16));
  const to = parts(high.length === 4 ? "#" + [...high.slice(1)].map((c) => c + c).join("") : high);
  const from = parts(low.length === 4 ? "#" + [...low.slice(1)].map((c) => c + c).join("") : low);
  return "rgb(" + from.map((c, i) => Math.round(c + (to[i] - c) * share)).join(",") + ")";
}

function setTheme(name) {
  root.dataset.theme = name;
  redrawAll();
}
function header(title, ...lines) {
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  setTheme(dark.matches ? "dark" : "light");
  dark.addEventListener("change", (event) => setTheme(event.matches ? "dark" : "light"));
  document.getElementById("top").append(
    el("div", {}, el("h1", {}, title), ...lines.map((line) => el("p", {}, line))),
    el(
      "button", {
        type: "button",
        id: "theme",
        onclick: () => setTheme(root.dataset.theme === "dark" ? "light" : "dark")
      },
      "Light / dark"));
}

// A list of names and values.
const card = (rows) => el(
  "dl", {class: "card"},
  rows.filter((row) => row[1] !== null && row[1] !== "")
    .map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));
