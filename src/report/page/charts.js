// Lines, bars and points as SVG, with axes, a legend and a reading under the pointer.
function ticks(low, high, wanted) {
  if (!(high > low)) return [low];
  const rough = (high - low) / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const count = (s) => Math.floor(high / s + 1e-9) - Math.ceil(low / s - 1e-9) + 1;
  const step = [1, 2, 5, 10, 20].map((m) => m * power).find((s) => count(s) <= wanted + 1);
  const result = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; ++i)
    result.push(i * step);
  return result;
}

const DASHES = ["", "7 4", "2 3", "9 3 2 3", "12 4", "4 2"];

function legend(series) {
  return el("ul", {class: "legend"}, series.map((one, i) => {
    const style = one.style ?? i;
    const key = svg("svg", {viewBox: "0 0 26 10", "aria-hidden": "true"});
    if (one.points)
      key.append(svg("circle", {cx: 13, cy: 5, r: 4, class: "f" + (style % 6 + 1)}));
    else if (one.fill)
      key.append(svg(
        "rect",
        {x: 3, y: 1, width: 20, height: 8, class: "f" + (style % 6 + 1), "fill-opacity": 0.55}));
    else
      key.append(svg(
        "path",
        {d: "M0 5H26", class: "line c" + (style % 6 + 1), "stroke-dasharray": DASHES[style % 6]}));
    return el("li", {}, key, one.name);
  }));
}

// series: [{name, x, y, style, points, fill (bars down to 0 of width `bar`), size}]; axes: {x,
// y: {label, low, high, show}}; marks: [{x, text}]; even: the diagonal. The caption is what a
// screen reader says.
function chart({caption, series, x, y, marks = [], even = false, height = 240, legends = true}) {
  const holder = el("div");
  const shown = series.filter((one) => one.x.length > 0);
  const values = (axis) => shown.flatMap((one) => one[axis]).filter(known);
  const range = (axis, given) => {
    const all = values(axis);
    const low = given.low ?? Math.min(...all);
    const high = given.high ?? Math.max(...all);
    return high > low ? [low, high] : [low - 0.5, low + 0.5];
  };
  const [x0, x1] = range("x", x);
  const [y0, y1] = range("y", y);
  const draw = (width) => {
    const left = 46, right = 10, top = marks.length ? 18 : 8, bottom = 34;
    const px = (value) => left + ((value - x0) / (x1 - x0)) * (width - left - right);
    const py = (value) => height - bottom - ((value - y0) / (y1 - y0)) * (height - bottom - top);
    const picture =
      svg("svg", {viewBox: `0 0 ${width} ${height}`, height, role: "img", "aria-label": caption});
    const showX = x.show ?? ((v) => number(v)), showY = y.show ?? ((v) => number(v));
    for (const tick of ticks(y0, y1, 4))
      picture.append(
        svg("path", {class: "axis", d: `M${left} ${py(tick)}H${width - right}`}),
        svg("text", {x: left - 6, y: py(tick) + 4, "text-anchor": "end"}, showY(tick)));
    for (const tick of ticks(x0, x1, Math.max(2, Math.floor(width / 90))))
      picture.append(
        svg("path", {class: "axis", d: `M${px(tick)} ${height - bottom}v4`}),
        svg("text", {x: px(tick), y: height - bottom + 16, "text-anchor": "middle"}, showX(tick)));
    picture.append(svg(
      "text", {x: (left + width - right) / 2, y: height - 3, "text-anchor": "middle"}, x.label));
    if (even)
      picture.append(svg("path", {class: "even", d: `M${px(x0)} ${py(y0)}L${px(x1)} ${py(y1)}`}));
    for (const mark of marks)
      picture.append(
        svg("path", {class: "even", d: `M${px(mark.x)} ${top}V${height - bottom}`}),
        svg(
          "text", {
            x: px(mark.x),
            y: top - 5,
            "text-anchor": px(mark.x) > width * 0.8 ? "end"
              : px(mark.x) < width * 0.2            ? "start"
                                                    : "middle"
          },
          mark.text));
    shown.forEach((one, i) => picture.append(drawn(one, one.style ?? i, px, py, y0)));
    picture.addEventListener("pointermove", (event) => {
      const box = picture.getBoundingClientRect();
      const text = reading(
        shown, (event.clientX - box.left) * width / box.width,
        (event.clientY - box.top) * height / box.height, px, py, showX, showY, x.label);
      if (text)
        showTip(event, text);
      else
        hideTip();
    });
    picture.addEventListener("pointerleave", hideTip);
    holder.replaceChildren(picture);
  };
  const figure = el(
    "figure", {}, el("figcaption", {}, caption),
    legends && series.length > 1 ? legend(series) : null, holder);
  redrawn(holder, draw);
  return figure;
}

function drawn(one, style, px, py, floor) {
  const hue = style % 6 + 1;
  const group = svg("g");
  if (one.fill) {
    for (let i = 0; i < one.x.length; ++i) {
      const from = px(one.x[i] - one.bar / 2), to = px(one.x[i] + one.bar / 2);
      group.append(svg("rect", {
        class: "f" + hue,
        "fill-opacity": 0.55,
        x: from,
        width: Math.max(0.5, to - from - 0.5),
        y: py(one.y[i]),
        height: Math.max(0, py(Math.max(0, floor)) - py(one.y[i]))
      }));
    }
  } else if (one.points) {
    for (let i = 0; i < one.x.length; ++i)
      if (known(one.x[i]) && known(one.y[i]))
        group.append(svg("circle", {
          class: "f" + hue,
          "fill-opacity": one.opacity ?? 0.8,
          cx: px(one.x[i]),
          cy: py(one.y[i]),
          r: one.size ? one.size[i] : 3
        }));
  } else {
    let path = "", gap = true;
    for (let i = 0; i < one.x.length; ++i) {
      if (!known(one.y[i])) {
        gap = true;
        continue;
      }
      path += (gap ? "M" : "L") + px(one.x[i]).toFixed(1) + " " + py(one.y[i]).toFixed(1);
      gap = false;
    }
    group.append(
      svg("path", {class: "line c" + hue, d: path, "stroke-dasharray": DASHES[style % 6]}));
    if (one.dots)
      one.x.forEach(
        (value, i) => group.append(svg(
          "circle",
          {class: "f" + hue, cx: px(value), cy: py(one.y[i]), r: one.size ? one.size[i] : 3})));
  }
  return group;
}

// What is nearest: a point by its own words, else the values of all lines at this place.
function reading(series, x, y, px, py, showX, showY, label) {
  let best = null;
  for (const one of series)
    if (one.say)
      one.x.forEach((value, i) => {
        const far = Math.hypot(px(value) - x, py(one.y[i]) - y);
        if (far < 14 && (!best || far < best.far)) best = {far, text: one.say(i)};
      });
  if (best) return best.text;
  const lines = series.filter((one) => !one.points && !one.say);
  if (!lines.length) return "";
  const near = (one) => one.x.reduce(
    (b, value, i) => (Math.abs(px(value) - x) < Math.abs(px(one.x[b]) - x) ? i : b), 0);
  const at = lines[0].x[near(lines[0])];
  return [
    `${label} ${showX(at)}`, ...lines.map((one) => `${one.name}: ${showY(one.y[near(one)])}`)
  ].join("\n");
}

// Bars of two histograms of different ranges over the same axis, as shares.
function histograms(caption, parts, label) {
  const series = parts.map((part) => {
    const total = part.counts.reduce((a, b) => a + b, 0) || 1;
    const bar = (part.high - part.low) / part.counts.length || 1;
    const all = {
      name: part.name,
      x: part.counts.map((_, i) => part.low + (i + 0.5) * bar),
      y: part.counts.map((n) => n / total / bar),
      bar,
      fill: part.fill
    };
    if (part.fill) return all;
    // An outline: two corners a bar.
    return {
      ...all,
      x: part.counts.flatMap((_, i) => [part.low + i * bar, part.low + (i + 1) * bar]),
      y: part.counts.flatMap((n) => [n / total / bar, n / total / bar])
    };
  });
  return chart({
    caption,
    series,
    x: {label},
    y: {low: 0, label: "density"},
    marks: [{x: 0, text: "wrong ◂ ▸ right"}]
  });
}
