/* The crosshair: a line through the bar under the pointer and one at its price, each with its figure at the axis, and the bar's values in the
   chart's head. Boxes of the page over the plot, so that nothing is drawn anew while the pointer moves. */

const DAY = 86_400_000;

export class Crosshair {
  constructor(chart) { this.chart = chart; }

  build(plot) {
    this.parts = Object.fromEntries(["v", "h", "time", "price"].map((name) => {
      const part = document.createElement("span");
      part.className = `tb-cross ${name}`;
      part.hidden = true;
      plot.parentElement.append(part);
      return [name, part];
    }));
  }

  listen(plot, signal) {
    plot.addEventListener("pointermove", (event) => { if (event.pointerType !== "touch") this.move(event, plot); }, { signal });
    plot.addEventListener("pointerleave", () => this.hide(), { signal });
  }

  hide() {
    for (const part of Object.values(this.parts ?? {})) part.hidden = true;
    if (this.on) this.chart.line(null);
    this.on = false;
  }

  move(event, plot) {
    const { figure, bars } = this.chart;
    if (!figure || !bars?.t.length || this.chart.drag.holds) return this.hide();
    const box = plot.getBoundingClientRect(), x = event.clientX - box.left - figure.margin.l, y = event.clientY - box.top - figure.margin.t;
    if (x < 0 || x > figure.width || y < 0 || y > figure.height) return this.hide();
    const time = figure.time(x), at = nearest(bars.t, time), inPrices = y <= figure.height * 0.73;
    const left = plot.offsetLeft + figure.margin.l, top = plot.offsetTop + figure.margin.t, bar = figure.x(bars.t[at]);
    if (bar < 0 || bar > figure.width) return this.hide();
    this.on = true;
    const { v, h, time: when, price } = this.parts;
    put(v, { left: left + bar, top, height: figure.height });
    put(when, { left: left + bar, top: top + figure.height + 2 });
    const opened = new Date((bars.opened ?? bars.t)[at]).toISOString();
    when.textContent = bars.step_ms % DAY ? opened.slice(5, 16).replace("T", " ") : opened.slice(0, 10);
    h.hidden = price.hidden = !inPrices;
    if (inPrices) {
      const [low, high] = figure.scale, value = high - (y / (figure.height * 0.73)) * (high - low);
      put(h, { left, top: top + y, width: figure.width });
      put(price, { left: left + figure.width + 2, top: top + y });
      price.textContent = this.chart.written(value);
    }
    this.chart.line(at);
  }
}

function nearest(times, time) {
  let low = 0, high = times.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle] > time) high = middle; else low = middle;
  }
  return Math.abs(times[low] - time) <= Math.abs(times[high] - time) ? low : high;
}

function put(part, box) {
  part.hidden = false;
  for (const [side, value] of Object.entries(box)) part.style[side] = `${value}px`;
}
