/* Draws the market of one run with Plotly, in the page. Loaded once; mounted by pages/chart/figure.py: the part "bars" brings candles and
   series, the part "marks" what the run says about them. Whichever changed redraws the one chart they share. The part "live" is the
   price of now, over the chart. The part "library", mounted by browser_files.py, only has Plotly read ahead. Zoom belongs to the reader: it is kept here, by the data's id, over every update. Nothing
   is fetched but Plotly, from the server that served this file. */

// the search part carries the files' time, so that no browser mixes old and new
const files = new URL(import.meta.url).search;
const { ChartFigure, wholeRange, priceRange, number, volume } = await import(`./render.js${files}`);
const { withinData } = await import(`./axes.js${files}`);
const { Crosshair } = await import(`./crosshair.js${files}`);
const { LevelDrag } = await import(`./drag.js${files}`);
const { LivePrice } = await import(`./live.js${files}`);
const { slotOf, withoutClosedDays } = await import(`./slots.js${files}`);
const { framesOf, inFrame } = await import(`./frames.js${files}`);

const charts = new Map();  // by the place's key
const bars = new Map();    // by the place's key: {host, content} of the part "bars", which may come before its chart or outlive it
const lives = new Map();   // by the place's key: {host, content} of the part "live"
const zooms = new Map();   // by the data's id: [from, to] in ms, kept over remounts
let library = null;
let typed = [];            // what a reader has said falsely of this market (assets/run/lie.js)
document.addEventListener("tribunal-typed", ({ detail }) => { typed = detail; for (const chart of charts.values()) chart.hearTyped(); });
const READ_AFTER_MS = 1500;

const pause = (ms) => new Promise((over) => setTimeout(over, ms));
const painted = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
const idle = () => new Promise((free) => window.requestIdleCallback ? requestIdleCallback(free, { timeout: 500 }) : setTimeout(free));

function plotly(url) {
  library ??= new Promise((loaded, failed) => {
    if (window.Plotly) return loaded(window.Plotly);
    const script = document.createElement("script");
    script.src = url;
    script.onload = () => loaded(window.Plotly);
    script.onerror = () => { library = null; failed(new Error("plotly.min.js could not be loaded")); };
    document.head.append(script);
  });
  return library;
}

/** One part has come or changed. Returns what takes it away again. */
export function show({ data, parentElement, setTriggerValue }) {
  if (data.part === "library") return readAhead(data);
  if (data.part === "live") return live(data, parentElement);
  if (data.part === "bars") return market(data, parentElement);
  const chart = charts.get(data.chart) ?? new Chart(data);
  charts.set(data.chart, chart);
  chart.sendLevel = (kind, price) => setTriggerValue("level", { kind, price });
  chart.take(data, parentElement);
  return () => chart.drop(parentElement);
}

/** Candles and series. Returns what takes them away again: the marks of a place may go and come again while its bars stay. */
function market({ chart: name, content }, host) {
  bars.set(name, { host, content: JSON.parse(content) });
  charts.get(name)?.measure(bars.get(name).content);
  return () => { if (bars.get(name)?.host === host) bars.delete(name); };
}

/** The price of now, which comes by itself. Returns what takes it away again. */
function live({ chart: name, content }, host) {
  lives.set(name, { host, content: JSON.parse(content) });
  charts.get(name)?.live.take(lives.get(name).content);
  return () => {
    if (lives.get(name)?.host !== host) return;
    lives.delete(name);
    charts.get(name)?.live.take(null);
  };
}

/** Plotly is fetched, and run, which takes half a second, when the page has stood for a while: whoever presses a button at once does not
    wait for it. Returns what calls it off. */
function readAhead({ library: url, after }) {
  let over = false;
  const look = async () => {
    if (over) return;
    if (!document.querySelector(after)) return setTimeout(look, 50);
    await pause(READ_AFTER_MS);
    await idle();
    if (!over) plotly(url).catch(() => null);  // the server is away: a chart asks again
  };
  look();
  return () => { over = true; };
}

class Chart {
  constructor({ chart, library: url }) {
    this.name = chart;
    this.url = url;
    this.mounted = 0;
    this.queued = false;
    this.focus = this.asked = null;
    this.drag = new LevelDrag(this);
    this.cross = new Crosshair(this);
    this.sent = { bars: bars.get(chart)?.content };
    this.live = new LivePrice(this, number);
    this.live.take(lives.get(chart)?.content ?? null);
  }

  take(data, host) {
    this.sent.marks = JSON.parse(data.content);
    this.adopt();
    this.drag.meet(this.marks);
    if (this.host !== host) {
      this.host = host;
      this.build(data.height);
    }
    this.queue();
  }

  measure(sent) {
    this.sent.bars = sent;
    this.adopt();
    this.queue();
  }

  /** What was sent, in the timeframe that the reader has chosen. */
  adopt() {
    const { sent, frame } = this;
    Object.assign(this, sent.bars && sent.marks ? withoutClosedDays(sent.bars, sent.marks) : sent);
    if (this.bars && this.marks && frame) Object.assign(this, inFrame(this.bars, this.marks, frame));
    this.own = this.marks?.false;
  }

  /** A sentence was typed: its false values are drawn with the others, and the pane below shows what it is about. */
  hearTyped() {
    const below = typed.find((mark) => mark.pane === "below" && this.bars?.lines[mark.key]);
    if (below) this.asked = below.key;
    this.queue();
  }

  choose(ms) {
    this.frame = ms === this.sent.bars.step_ms ? null : ms;
    this.focus = this.asked = null;
    this.adopt();
    this.queue();
  }

  drop(host) {
    if (this.host !== host) return;
    this.stop?.();
    this.live.end();
    if (this.plot && window.Plotly) window.Plotly.purge(this.plot);
    this.host = this.plot = null;
    charts.delete(this.name);
  }

  build(height) {
    this.mounted += 1;
    this.host.replaceChildren();
    const frame = element("div", { className: "tb tb-card tb-chart" }, this.host);
    this.head = element("div", { className: "tb-chart-head" }, frame);
    this.legend = element("span", { className: "lines" }, this.head);
    this.status = element("span", { className: "status" }, this.head);
    this.frames = element("span", { className: "frames", role: "group" }, this.head);
    const tools = element("span", { className: "tools" }, this.head);
    const buttons = [["−", "zoom_out", () => this.zoom(1.35)], ["+", "zoom_in", () => this.zoom(0.74)], ["←", "earlier", () => this.move(-0.3)], ["→", "later", () => this.move(0.3)], ["↺", "reset", () => this.reset()]];
    if (frame.requestFullscreen) buttons.push(["⤢", "full", () => (document.fullscreenElement === frame ? document.exitFullscreen() : frame.requestFullscreen())]);
    this.tools = buttons.map(([sign, word, act]) => [word, element("button", { type: "button", textContent: sign, onclick: act }, tools)]);
    this.plot = element("div", { className: "plot" }, frame);
    frame.style.height = `${height}px`;
    this.cross.build(this.plot);
    this.live.build(frame);
    this.probe = element("span", { className: "tb-probe" }, frame);
    this.plot.dataset.mounts = String(this.mounted);
    this.listen();
  }

  listen() {
    const gone = new AbortController(), signal = gone.signal;
    const wheel = (event) => {
      if (!event.ctrlKey && !event.metaKey) return;  // the page scrolls, unless asked
      event.preventDefault();
      this.zoom(event.deltaY > 0 ? 1.2 : 0.83);
    };
    this.plot.addEventListener("wheel", wheel, { passive: false, signal });
    this.probe.addEventListener("transitionend", () => this.queue(), { signal });  // the theme has changed
    const find = (event) => {
      if (event.type === "keydown" && event.key !== "Enter") return;
      const claim = event.target.closest?.("[data-claim][data-key]")?.dataset;
      if (claim) this.point(Number(claim.time) || null, claim.key);
    };
    document.addEventListener("click", find, { signal });
    document.addEventListener("keydown", find, { signal });
    const sizes = new ResizeObserver(() => {
      const { clientWidth = 0, clientHeight = 0 } = this.plot ?? {}, size = `${clientWidth} ${clientHeight}`;
      if (clientWidth && size !== this.size) { this.size = size; this.queue(); }
    });
    sizes.observe(this.plot);
    this.drag.listen(this.plot, signal);
    this.cross.listen(this.plot, signal);
    this.stop = () => { gone.abort(); sizes.disconnect(); };
  }

  queue() {
    if (this.queued) return;
    this.queued = true;
    requestAnimationFrame(async () => {
      if (!library) await painted().then(idle);  // the words that came with the chart are painted first
      const Plotly = await plotly(this.url).catch(() => null);
      this.queued = false;
      if (!Plotly) return setTimeout(() => { if (this.plot) this.queue(); }, 2000);  // the server is away: it comes back
      if (this.plot && this.bars && this.marks) this.draw(Plotly);
    });
  }

  get dark() { return getComputedStyle(this.probe).color !== "rgb(0, 0, 0)"; }
  get narrow() { return this.plot.clientWidth < 600; }

  draw(Plotly) {
    this.marks = { ...this.marks, false: [...this.own, ...typed] };
    const { bars, marks, plot } = this;
    const colours = bars.colours[this.dark ? "dark" : "light"];
    plot.setAttribute("role", "img");  // a picture from when it has a name
    plot.setAttribute("aria-label", marks.words.sentence);
    for (const [word, button] of this.tools) {
      button.ariaLabel = marks.words[word];
      button.title = word.startsWith("zoom") ? `${marks.words[word]} (${marks.words.wheel})` : marks.words[word];
    }
    this.status.textContent = marks.words.status;
    this.offer();
    if (!this.drag.holds) this.line(null);
    if (!bars.t.length) { this.legend.textContent = marks.words.empty; return; }
    this.whole = wholeRange(bars, marks, this.narrow);
    const range = this.range = zooms.get(bars.id) ?? this.whole;
    const scale = this.drag.scale ?? priceRange(bars, marks, range, this.asked);
    const figure = this.figure = new ChartFigure(this, colours, range, scale);
    Plotly.react(plot, figure.traces(), figure.layout(), { displayModeBar: false, doubleClick: false, scrollZoom: false, responsive: false });
    for (const label of plot.querySelectorAll(".annotation")) {  // words stand on candles: give them an edge of the ground's colour
      label.classList.toggle("halo", !figure.tagged.has(Number(label.dataset.index)));
    }
    this.hear();
    this.live.place();
    plot.dataset.draws = String(Number(plot.dataset.draws ?? 0) + 1);
  }

  /** The timeframes as buttons, the one that is shown pressed; none where there is only its own. */
  offer() {
    const offered = framesOf(this.sent.bars, this.marks.words.own), now = this.frame ?? this.sent.bars.step_ms, shown = `${offered} ${now}`;
    if (this.offered === shown) return;
    this.offered = shown;
    const held = this.frames.contains(document.activeElement) ? document.activeElement.textContent : null;
    this.frames.replaceChildren();
    for (const [name, ms] of offered.length > 1 ? offered : []) {
      const button = element("button", { type: "button", textContent: name, onclick: () => this.choose(ms) }, this.frames);
      button.ariaLabel = this.marks.words.frame.replace("{frame}", name);
      button.ariaPressed = String(ms === now);
      if (name === held) button.focus();
    }
  }

  hear() {
    if (this.heard === this.plot) return;
    this.heard = this.plot;
    this.plot.on("plotly_relayout", (change) => {
      const from = change["xaxis.range[0]"] ?? change["xaxis.range"]?.[0], to = change["xaxis.range[1]"] ?? change["xaxis.range"]?.[1];
      if (from === undefined || to === undefined) return;
      this.keep([asMs(from), asMs(to)]);
    });
    this.plot.on("plotly_doubleclick", () => this.reset());
  }

  /** The range the reader has chosen, held within the data. */
  keep(range) {
    zooms.set(this.bars.id, withinData(range, this.bars.t[0] - this.bars.step_ms, this.whole[1]));
    this.queue();
  }

  zoom(factor) {
    if (!this.range) return;
    const [from, to] = this.range, middle = from + (to - from) * 0.7, least = this.bars.step_ms * 12;
    const span = Math.max(least, (to - from) * factor);
    this.keep([middle - span * 0.7, middle + span * 0.3]);
  }

  move(share) {
    if (!this.range) return;
    const [from, to] = this.range, by = (to - from) * share;
    this.keep([from + by, to + by]);
  }

  reset() {
    zooms.delete(this.bars?.id);
    this.focus = this.asked = null;
    this.queue();
  }

  /** Shows what a statement is about until the next reset: its bar, moved to when it is out of sight, and the line of its indicator. */
  point(time, key) {
    if (!this.bars?.t.length) return;
    if (this.frame) this.choose(this.sent.bars.step_ms);  // it was measured there
    time = slotOf(this.bars, time);
    this.focus = time;
    this.asked = this.bars.lines[key] ? key : this.asked;
    const [from, to] = this.range ?? this.whole;
    if (time === null) return this.queue();
    if (time < from || time > to) zooms.set(this.bars.id, [time - (to - from) * 0.6, time + (to - from) * 0.4]);
    this.queue();
  }

  written(price) { return number(price, this.bars.decimals); }

  /** The head: the lines' key, or the values of a bar. */
  line(index) {
    const { bars, marks } = this;
    if (!bars || !marks) return;
    this.legend.replaceChildren();
    if (index === null) {
      for (const [text, style] of [["EMA 20", "solid"], ["EMA 50", "dashed"], ["EMA 200", "thick"]]) {
        const key = element("span", { className: "key", textContent: text }, this.legend);
        element("i", { className: style }, key);
      }
      if (!this.narrow) element("span", { className: "key", textContent: marks.words.style }, this.legend);
      return;
    }
    const values = ["o", "h", "l", "c"].map((column, at) => [marks.words.letters[at], this.written(bars[column][index])]);
    if (!this.narrow) values.push([marks.words.letters[4], volume(bars.v[index])]);
    for (const [key, name] of [["ema_20", "EMA 20"], ["ema_50", "50"], ["ema_200", "200"], ["rsi_14", "RSI"]]) {
      const value = bars.lines[key]?.v?.[index];
      if (value !== null && value !== undefined && !this.narrow) values.push([name, key === "rsi_14" ? value.toFixed(1) : this.written(value)]);
    }
    for (const [name, value] of values) {
      const key = element("span", { className: "key", textContent: `${name} ` }, this.legend);
      element("b", { textContent: value }, key);
    }
  }
}

function asMs(value) { return typeof value === "number" ? value : Date.parse(`${String(value).replace(" ", "T").replace(/(\.\d{3})\d+$/, "$1")}Z`); }
function element(tag, properties, parent) { const made = Object.assign(document.createElement(tag), properties); parent.append(made); return made; }
