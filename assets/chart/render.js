/* What Plotly is given for one frame of the chart: traces, axes, lines, zones and the words beside them. Pure but for the size of the plot. */

const SANS = '"Source Sans", "Source Sans 3", "Source Sans Pro", "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", sans-serif';

// the search part carries the files' time, so that no browser mixes old and new
const files = new URL(import.meta.url).search;
const { TAG, obstacles, placeOf, spread } = await import(`./labels.js${files}`);
const { sessionTicks, timeTicks, roundPrices } = await import(`./axes.js${files}`);

const MOST_OFF = 3;  // prices beyond the scale that are named

/** One frame: what Plotly is given. */
export class ChartFigure {
  constructor(chart, colours, range, scale) {
    Object.assign(this, { chart, colours, range, scale, bars: chart.bars, marks: chart.marks, narrow: chart.narrow });
    this.margin = { l: 6, r: this.narrow ? 62 : 72, t: 4, b: 20 };
    this.width = Math.max(50, chart.plot.clientWidth - this.margin.l - this.margin.r);
    this.height = Math.max(50, chart.plot.clientHeight - this.margin.t - this.margin.b);
    this.last = lastTime(this.bars, this.marks);
    this.right = this.last + this.bars.step_ms * 0.9;
    this.decided = this.bars.t[this.bars.known - 1];
    this.later = this.bars.t.length > this.bars.known;
    this.taken = [];  // boxes of words
    this.tagged = new Set();  // annotations with a ground of their own
    const asked = this.bars.lines[chart.asked];
    this.over = asked?.over ? chart.asked : null;
    this.below = asked && !asked.over ? chart.asked : "rsi_14";
    this.again = this.ticks();
    this.drawn = obstacles(this);
  }

  traces() {
    const { bars, colours } = this, x = bars.t.map(date);
    const line = (key, width, dash, opacity) => ({
      type: "scatter", mode: "lines", name: key, x, y: everyBar(bars, key), hoverinfo: "skip", connectgaps: false, opacity, line: { color: colours.muted, width, dash },
    });
    const up = bars.c.map((close, at) => close >= bars.o[at]);
    return [
      { type: "bar", name: "volume", x, y: bars.v, yaxis: "y2", hoverinfo: "skip", marker: { color: up.map((rise) => (rise ? colours.up : colours.down)), opacity: 0.28, line: { width: 0 } } },
      line("ema_200", 1.8, "solid", 0.65), line("ema_50", 1.2, "5px,3px", 1), line("ema_20", 1.2, "solid", 1),
      {
        type: "candlestick", name: "candles", x, open: bars.o, high: bars.h, low: bars.l, close: bars.c, hoverinfo: "none", whiskerwidth: 0,
        increasing: { line: { color: colours.up, width: 1.1 }, fillcolor: colours.surface }, decreasing: { line: { color: colours.down, width: 1.1 }, fillcolor: colours.down },
      },
      ...this.family(this.below, "y3", colours.indicator), ...(this.over ? this.family(this.over, "y", colours.human) : []),
      this.patternDots(), ...this.dots(),
    ];
  }

  /** A line on call with what belongs to it, thinner; a histogram as bars. */
  family(key, yaxis, colour) {
    const draw = (name, main) => {
      const { x, y, shape } = points(this.bars, name), more = { name, x: x.map(date), y, yaxis, hoverinfo: "skip" };
      if (name.endsWith("macd_hist")) return { ...more, type: "bar", marker: { color: colour, opacity: main ? 0.6 : 0.3, line: { width: 0 } } };
      return { ...more, type: "scatter", mode: "lines", connectgaps: false, opacity: main ? 1 : 0.55, line: { color: colour, width: main ? 1.5 : 1, dash: main ? "solid" : "4px,3px", shape } };
    };
    const others = this.bars.lines[key]?.with ?? [];
    return [...others.map((name) => draw(name, false)), draw(key, true)];
  }

  patternDots() {
    const seen = this.marks.patterns.map((mark) => ({ ...mark, at: this.bars.t.indexOf(mark.t) })).filter((mark) => mark.at >= 0);
    const gap = (this.scale[1] - this.scale[0]) * 0.025;
    return {
      type: "scatter", mode: "markers", name: "patterns", x: seen.map((mark) => date(mark.t)), hovertext: seen.map((mark) => escape(mark.name)), hoverinfo: "text",
      y: seen.map((mark) => (mark.direction > 0 ? this.bars.l[mark.at] - gap : this.bars.h[mark.at] + gap)),
      marker: { symbol: "diamond", size: 7, color: this.colours.pattern },
    };
  }

  /** The value now, and beside it what was falsely said of it. */
  dots() {
    const now = lastValue(this.bars, this.below);
    if (now === null) return [];
    const at = date(this.decided), dot = { type: "scatter", mode: "markers", yaxis: "y3", hoverinfo: "skip", x: [at] };
    return [
      { ...dot, name: "now", y: [now], marker: { size: 5, color: this.colours.indicator } },
      ...this.said().map((mark) => ({ ...dot, name: "said", y: [mark.claimed], marker: { size: 7, symbol: "circle-open", color: this.colours[mark.source] ?? this.colours.faint, line: { width: 1.5 } } })),
    ];
  }

  said() { return this.marks.false.filter((mark) => mark.pane === "below" && mark.key === this.below); }

  layout() {
    const { colours, bars } = this;
    const axis = { showgrid: true, gridcolor: colours.line, gridwidth: 1, zeroline: false, fixedrange: true, tickfont: { size: 11 }, ticks: "", linewidth: 0, automargin: false };
    const notes = [];
    const shapes = [...this.plan(notes), ...this.levels(notes), ...this.ghosts(notes), ...this.forming(), ...this.moment(), ...this.lastLine(), ...this.pane(notes), ...this.events(notes), ...this.focus()];
    this.tags(notes);
    this.averages(notes);
    this.askedLine(notes);
    this.patternWords(notes);
    const most = this.narrow ? 4 : 8, times = bars.opened ? sessionTicks(bars, this.range, most) : timeTicks(this.range, most);
    const [from, to] = this.range, isAtEnd = times.vals.some((time) => (to - time) / (to - from) * this.width < 20);  // its words reach beyond the plot
    notes.push(note({ xref: "paper", x: 1, xanchor: "left", xshift: isAtEnd ? 22 : 6, yref: "paper", y: 0, yanchor: "top", yshift: -3, text: "UTC", font: { color: colours.muted, size: 11 } }));
    this.tagged.add(notes.length - 1);
    const prices = roundPrices(this.scale, Math.max(4, Math.floor(this.height * 0.73 / 26)));
    const isCovered = (price) => this.tagRows.some((row) => Math.abs(row.y - this.y(price)) < 15);
    return {
      width: this.width + this.margin.l + this.margin.r, height: this.height + this.margin.t + this.margin.b,  // of the card, whenever it changes
      uirevision: bars.id, datarevision: undefined, dragmode: "pan", hovermode: "x", showlegend: false, bargap: 0.35, margin: this.margin,
      paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", font: { family: SANS, size: 11, color: colours.muted },
      xaxis: {
        ...axis, type: "date", range: this.range.map(date), fixedrange: false, rangeslider: { visible: false }, anchor: "y3", tickvals: times.vals.map(date), ticktext: times.text,
      },
      yaxis: { ...axis, domain: [0.27, 1], range: this.scale, side: "right", tickvals: prices, ticktext: prices.map((price) => (isCovered(price) ? "" : number(price, roundDecimals(prices, bars.decimals)))) },
      yaxis2: { ...axis, domain: [0.27, 0.44], range: [0, Math.max(1e-12, ...this.seen(bars.v))], overlaying: undefined, showgrid: false, showticklabels: false },
      yaxis3: { ...axis, domain: [0, 0.21], range: this.paneRange(), side: "right", griddash: "dot", ...(this.levelsBelow().length ? { tickvals: this.levelsBelow() } : { nticks: 3 }) },
      shapes, annotations: notes,
    };
  }

  /** Values of the bars in sight. */
  seen(values) {
    const { t } = this.bars, [from, to] = this.range;
    return values.filter((value, at) => value !== null && t[at] >= from && t[at] <= to);
  }

  x(time) { return ((time - this.range[0]) / (this.range[1] - this.range[0])) * this.width; }
  y(price) { const [low, high] = this.scale; return (1 - (price - low) / (high - low)) * this.height * 0.73; }
  inside(price) { return price >= this.scale[0] && price <= this.scale[1]; }

  across(price, line, from = 0, to = 1) {
    return { type: "line", xref: "paper", x0: from, x1: to, yref: "y", y0: price, y1: price, line, layer: "above" };
  }

  /** Levels of the plans that the decision came to when it was asked again: a short line each, a column a plan, in pixels. */
  ticks() {
    const left = this.x(this.right), room = this.width - left;
    if (room <= 0) return [];
    return (this.marks.again ?? []).filter(({ price }) => this.inside(price)).map(({ price, n, of }) => {
      const middle = left + (room * (n + 0.5)) / of, half = Math.min(5, (room / of) * 0.4);
      return { price, from: middle - half, to: middle + half };
    });
  }

  /** Entry, stop and target to the right of the last bar, with the room of risk and of reward between them. */
  plan(notes) {
    const by = Object.fromEntries(this.marks.plan.map((mark) => [mark.kind, mark])), { entry, stop, target } = by, shapes = [];
    const start = this.later ? this.decided + this.bars.step_ms / 2 : this.right;  // what came after is drawn inside the plan
    const zone = (a, b, colour) => shapes.push({
      type: "rect", xref: "x", x0: date(start), x1: date(this.range[1]), yref: "y", y0: a.price, y1: b.price, fillcolor: colour, opacity: 0.14, line: { width: 0 }, layer: "below",
    });
    if (this.right >= this.range[1]) return shapes;
    if (entry && stop) zone(entry, stop, this.colours.down);
    if (entry && target) zone(entry, target, this.colours.up);
    for (const mark of [stop, target, entry].filter(Boolean)) {
      const colour = { entry: this.colours.executor, stop: this.colours.down, target: this.colours.up }[mark.kind];
      shapes.push({ type: "line", xref: "x", x0: date(start), x1: date(this.range[1]), yref: "y", y0: mark.price, y1: mark.price, line: { color: colour, width: 1.5 } });
      if (!this.inside(mark.price)) continue;
      const arrow = mark.kind !== "entry" && this.marks.drag_step ? " ↕" : mark.kind === "entry" ? { LONG: " ▲", SHORT: " ▼", long: " ▲", short: " ▼", 1: " ▲", "-1": " ▼" }[mark.direction] ?? "" : "";
      this.label(notes, `<b>${escape(mark.name)}${arrow}</b>`, mark.name + arrow, this.width - 3, this.y(mark.price), this.colours.text, { anchor: "right", must: mark !== entry, up: mark === entry || mark.price > (entry?.price ?? 0), either: true });
    }
    for (const tick of this.again) shapes.push({ type: "line", xref: "x", x0: date(this.time(tick.from)), x1: date(this.time(tick.to)), yref: "y", y0: tick.price, y1: tick.price, line: { color: this.colours.text, width: 2 } });
    return shapes;
  }

  levels(notes) {
    return this.marks.levels.filter((mark) => this.inside(mark.price)).map((mark) => {
      const text = `${escape(mark.name)} <b>${mark.text}</b>`;
      const spots = mark.kind === "support" ? [4, this.width * 0.3] : [this.width * 0.52, this.width * 0.3, 4];
      this.label(notes, text, `${mark.name} ${mark.text}`, spots, this.y(mark.price), this.colours.text, { up: true, either: true, sweep: true });
      const of = { break_even: { color: this.colours.human, dash: "6px,3px" }, liquidation: { color: this.colours.error, dash: "2px,3px" } };
      return this.across(mark.price, { color: this.colours["line-strong"], width: 1, ...of[mark.kind] });
    });
  }

  /** Price levels that were said and are not so: dotted, in the speaker's colour, with the gap to the truth beside them. */
  ghosts(notes) {
    const shapes = [], prices = this.marks.false.filter((mark) => mark.pane === "price");
    for (const mark of prices.filter((each) => !this.inside(each.claimed)).slice(0, MOST_OFF)) this.offChart(mark, notes);
    prices.filter((mark) => this.inside(mark.claimed)).forEach((mark, index) => {
      const colour = this.colours[mark.source] ?? this.colours.faint, at = this.y(mark.claimed);
      shapes.push(this.across(mark.claimed, { color: colour, width: 1.4, dash: "2px,4px" }));
      const left = this.width * (0.2 + 0.16 * (index % 3));
      const sign = { bull: "▲ ", bear: "▼ " }[mark.source] ?? "";
      const name = (how) => this.label(notes, `<b>${sign}${escape(mark.text)}</b>`, sign + mark.text, [left, this.width * 0.08, this.width * 0.5], at, colour, { up: true, either: true, sweep: true, ...how });
      if (!name({})) name({ reach: 15, must: !this.narrow });  // rather further from its line than on another; on a phone the table names it
      if (mark.actual === null || !mark.gap || this.narrow) return;
      const end = Math.min(Math.max(mark.actual, this.scale[0]), this.scale[1]), foot = this.y(end), wide = mark.gap.length * 6.3;
      const tops = [0.5, 0.35, 0.65, 0.2, 0.8].map((share) => at + (foot - at) * share - 6.5);  // anywhere along its arrow
      const beside = (x, must) => this.label(notes, `<b>${mark.gap}</b>`, mark.gap, [x + 6, x - 8 - wide], at, this.colours.grounding, { tops, must });
      const spots = [left - 10, ...[...Array(18)].map((_, n) => this.width * (0.08 + 0.04 * n))].filter((x) => this.isClear(x, at, foot));
      const found = spots.find((x) => beside(x, false)), free = found ?? spots[0] ?? left - 10, middle = date(this.time(free));
      if (found === undefined) beside(free, true);
      shapes.push({ type: "line", xref: "x", x0: middle, x1: middle, yref: "y", y0: mark.claimed, y1: end, line: { color: this.colours.grounding, width: 1.2 } });
      if (this.inside(mark.actual)) notes.push(arrow(middle, mark.actual, mark.claimed > mark.actual ? -7 : 7, this.colours.grounding));
      this.taken.push([free - 2, Math.min(at, foot), free + 2, Math.max(at, foot)]);
    });
    return shapes;
  }

  /** Whether an arrow at x from one height to another crosses no word and no other arrow. */
  isClear(x, from, to) { return this.taken.every((box) => box[2] < x - 3 || box[0] > x + 3 || box[3] < Math.min(from, to) || box[1] > Math.max(from, to)); }

  /** A false price that lies beyond the scale: an arrow at the edge it lies behind, with its value. */
  offChart(mark, notes) {
    const above = mark.claimed > this.scale[1], words = `${above ? "↑" : "↓"} ${mark.text}`;
    const at = above ? 15 : this.height * 0.73 - 1;
    this.label(notes, `<b>${escape(words)}</b>`, words, [this.width * 0.3, this.width * 0.06], at, this.colours[mark.source] ?? this.colours.faint, { up: true, either: above, sweep: true, must: true });
  }

  time(pixels) { return this.range[0] + (pixels / this.width) * (this.range[1] - this.range[0]); }

  /** The last price, carried to the axis while there is no plan. */
  lastLine() {
    const last = this.marks.forming?.c ?? this.bars.c.at(-1);
    if (this.marks.plan.length || this.last >= this.range[1]) return [];
    return [{ type: "line", xref: "x", x0: date(this.right), x1: date(this.range[1]), yref: "y", y0: last, y1: last, line: { color: this.colours.judge, width: 1.5 } }];
  }

  /** The open candle: dashed, because it may still change. */
  forming() {
    const candle = this.marks.forming;
    if (!candle) return [];
    const half = this.bars.step_ms * 0.32, colour = candle.c >= candle.o ? this.colours.up : this.colours.down, line = { color: colour, width: 1, dash: "2px,2px" };
    const wick = (a, b) => ({ type: "line", xref: "x", x0: date(candle.t), x1: date(candle.t), yref: "y", y0: a, y1: b, line });
    const top = Math.max(candle.o, candle.c), foot = Math.min(candle.o, candle.c);
    return [{ type: "rect", xref: "x", x0: date(candle.t - half), x1: date(candle.t + half), yref: "y", y0: foot, y1: top, line, opacity: 0.9 }, wick(top, candle.h), wick(foot, candle.l)];
  }

  /** Where the decision stands, once candles after it are shown. */
  moment() {
    if (!this.later) return [];
    const at = date(this.decided + this.bars.step_ms / 2);
    return [{ type: "line", xref: "x", x0: at, x1: at, yref: "paper", y0: 0, y1: 1, line: { color: this.colours.executor, width: 1, dash: "1px,3px" } }];
  }

  levelsBelow() { return this.bars.lines[this.below]?.levels ?? [30, 70]; }

  /** The RSI has its usual frame; every other line is fitted to what is in sight, what was said of it and where it is read. */
  paneRange() {
    if (this.below === "rsi_14") return [10, 90];
    const [from, to] = this.range, values = [...this.levelsBelow(), ...this.said().map((mark) => mark.claimed)];
    for (const key of [this.below, ...(this.bars.lines[this.below]?.with ?? [])]) {
      const { x, y } = points(this.bars, key);
      y.forEach((value, at) => { if (value !== null && x[at] >= from - this.bars.step_ms * 60 && x[at] <= to) values.push(value); });
    }
    const low = Math.min(...values), high = Math.max(...values), room = (high - low || 1) * 0.12;
    return [low - room, high + room];
  }

  /** The pane's name and value, and what was falsely said of it. */
  pane(notes) {
    const now = lastValue(this.bars, this.below), name = this.below === "rsi_14" ? "RSI 14" : this.bars.lines[this.below].name;
    const value = now === null ? "–" : this.below === "rsi_14" ? now.toFixed(1) : short(now);
    notes.push(note({ xref: "paper", x: 0, xanchor: "left", yref: "paper", y: 0.215, yanchor: "top", text: `${escape(name)} <b>${value}</b>`, font: { color: this.colours.muted, size: 11 } }));
    const shapes = [{ type: "line", xref: "paper", x0: 0, x1: 1, yref: "paper", y0: 0.24, y1: 0.24, line: { color: this.colours.line, width: 1 } }];
    const at = date(this.decided), [low, high] = this.paneRange(), tall = this.height * 0.21;
    let below = Infinity;  // px from the pane's foot: labels stand apart, whatever they say
    for (const mark of now === null ? [] : this.said().sort((a, b) => b.claimed - a.claimed).slice(0, 3)) {
      shapes.push({ type: "line", xref: "x", x0: at, x1: at, yref: "y3", y0: mark.claimed, y1: now, line: { color: this.colours.grounding, width: 1.2 } });
      const line = ((mark.claimed - low) / (high - low)) * tall, foot = Math.min(line, below - 13);
      below = foot;
      notes.push(note({ xref: "x", x: at, xshift: -6, xanchor: "right", yref: "y3", y: mark.claimed, yshift: foot - line, yanchor: "middle", text: `<b>${escape(mark.text)}</b>`, font: { color: this.colours.grounding, size: 11 } }));
    }
    return shapes;
  }

  /** The name of the line that a statement called over the candles. */
  askedLine(notes) {
    const value = this.over ? lastValue(this.bars, this.over) : null;
    if (value === null || !this.inside(value)) return;
    const name = this.bars.lines[this.over].name, text = number(value, this.bars.decimals);
    this.label(notes, `${escape(name)} <b>${text}</b>`, `${name} ${text}`, [this.width * 0.45, this.width * 0.2, 4], this.y(value), this.colours.human, { up: true, either: true });
  }

  /** What happened to the company: splits as a dashed line, results and news as letters in a lane under the candles, one mark a place. */
  events(notes) {
    const shapes = [], taken = [];
    const order = { split: 0, report: 1, news: 2 };
    const seen = (this.marks.events ?? []).filter((mark) => mark.t >= this.range[0] && mark.t <= this.range[1]);
    for (const mark of seen.sort((a, b) => order[a.kind] - order[b.kind])) {
      const x = this.x(mark.t), split = mark.kind === "split", colour = this.colours[{ report: "fundamentals", news: "news" }[mark.kind]] ?? this.colours.text;
      if (split) {
        shapes.push({ type: "line", xref: "x", x0: date(mark.t), x1: date(mark.t), yref: "paper", y0: 0.27, y1: 1, line: { color: this.colours.text, width: 1, dash: "4px,3px" } });
        this.label(notes, `<b>${escape(mark.name)}</b>`, mark.name, [x + 4, x - 4 - mark.name.length * 6.3], 14, this.colours.text, { up: true, either: true });
      }
      if (taken.some((other) => Math.abs(other - x) < 16)) continue;
      taken.push(x);
      if (mark.kind === "news") shapes.push({ type: "circle", xref: "x", xsizemode: "pixel", xanchor: date(mark.t), x0: -7.5, x1: 7.5, yref: "paper", ysizemode: "pixel", yanchor: 0.256, y0: -7.5, y1: 7.5, fillcolor: colour, line: { width: 0 } });
      this.tagged.add(notes.length);
      notes.push(note({
        xref: "x", x: date(mark.t), yref: "paper", y: 0.256, yanchor: "middle", text: `<b>${escape(mark.mark)}</b>`, hovertext: escape(mark.name), captureevents: true,
        font: { color: split ? this.colours.text : this.colours["on-colour"], size: 10 }, bgcolor: split ? this.colours.surface : colour,
        bordercolor: split ? this.colours.text : colour, borderwidth: 1, borderpad: 2, ...(mark.kind === "news" ? { bgcolor: undefined, bordercolor: undefined, borderwidth: 0 } : {}),
      }));
    }
    return shapes;
  }

  focus() {
    const time = this.chart.focus;
    if (!time) return [];
    return [{ type: "line", xref: "x", x0: date(time), x1: date(time), yref: "paper", y0: 0, y1: 1, line: { color: this.colours.human, width: 1, dash: "3px,3px" } }];
  }

  /** Prices on the axis: the plan's and the last; pushed apart where they would cover one another. */
  tags(notes) {
    const last = this.marks.forming?.c ?? this.bars.c.at(-1), { colours } = this;
    const plan = Object.fromEntries(this.marks.plan.map((mark) => [mark.kind, mark]));
    const rows = this.marks.plan.map((mark) => ({ price: mark.price, text: mark.text, fill: { entry: colours.executor, stop: colours.down, target: colours.up }[mark.kind] }));
    const near = plan.entry && Math.abs(this.y(plan.entry.price) - this.y(last)) < 3;
    if (!near) rows.push({ price: last, text: number(last, this.bars.decimals), fill: colours.judge });
    const shown = rows.filter((row) => this.inside(row.price)).sort((a, b) => b.price - a.price);
    const places = this.tagPlaces(shown);
    this.tagRows = shown.map((row, at) => ({ ...row, y: places[at], note: notes.length + at }));
    for (const row of this.tagRows) {
      this.tagged.add(notes.length);
      notes.push(note({
        xref: "paper", x: 1, xanchor: "left", xshift: 2, yref: "paper", y: 1 - row.y / this.height, yanchor: "middle", text: `<b>${row.text}</b>`,
        font: { color: colours["on-colour"], size: 11 }, bgcolor: row.fill, borderpad: 2, width: this.margin.r - 8, align: "center",
      }));
    }
  }

  /** Where tags stand on the axis. rows: with a `price`, the highest first. */
  tagPlaces(rows) {
    const [low, high] = this.scale;
    return spread(rows.map(({ price }) => this.y(Math.min(Math.max(price, low), high))), TAG, 0, this.height * 0.73);
  }

  /** The name of the long average, somewhere along its line where it lies on nothing. */
  averages(notes) {
    const newest = lastSeen(this.bars, "ema_200", this.range), values = everyBar(this.bars, "ema_200");
    if (newest === null) return;
    const words = `EMA 200 ${number(values[newest], this.bars.decimals)}`, text = words.replace(/ (\S+)$/, " <b>$1</b>");
    for (let at = newest; at > 0 && this.bars.t[at] > this.range[0]; at -= 4) {
      const value = values[at];
      if (value === null || value === undefined || !this.inside(value)) continue;
      const spots = [Math.min(this.x(this.bars.t[at]), this.width - 4)];
      if (this.label(notes, text, words, spots, this.y(value), this.colours.muted, { anchor: "right", up: true, either: true, reach: 8 })) return;
    }
  }

  patternWords(notes) {
    if (this.narrow) return;
    for (const mark of [...this.marks.patterns].reverse()) {
      const at = this.bars.t.indexOf(mark.t);
      if (at < 0 || mark.t < this.range[0] || mark.t > this.range[1]) continue;
      const sign = { 1: " ▲", "-1": " ▼" }[mark.direction] ?? "", below = mark.direction > 0;
      const y = this.y(below ? this.bars.l[at] : this.bars.h[at]) + (below ? 22 : -6);
      const left = mark.t > this.last - (this.range[1] - this.range[0]) * 0.12;  // the plan stands on the right
      this.label(notes, `<b>${escape(mark.name)}${sign}</b>`, mark.name + sign, [this.x(mark.t) + (left ? -8 : 8)], y, this.colours.pattern, { up: true, either: true, reach: 12, anchor: left ? "right" : "left" });
    }
  }

  /** Writes a label where it lies on nothing; without room it is left out, unless it must be said. reach: px further from its line that it
      may stand as well. tops: upper edges instead, best first. Returns whether it was written. */
  label(notes, text, words, spots, y, colour, { anchor = "left", up = true, either = false, must = false, sweep = false, reach = 0, tops: given = null } = {}) {
    const tops = given ?? (up ? [y - 15, ...(either ? [y + 2] : [])] : [y + 2]);
    if (reach) tops.push(y - 15 - reach, ...(either ? [y + 2 + reach] : []));
    const place = placeOf(this, words, { spots: [spots].flat(), tops, anchor, sweep, must });
    if (!place) return false;
    notes.push(note({ xref: "paper", x: place.spot / this.width, xanchor: anchor, yref: "paper", y: 1 - (place.top + 6.5) / this.height, yanchor: "middle", text, font: { color: colour, size: 11 } }));
    return true;
  }
}

export function wholeRange(bars, marks, narrow) {
  const count = narrow ? 72 : 100, first = bars.t.at(-Math.min(count, bars.t.length)), last = lastTime(bars, marks), span = last - first;
  return [first - bars.step_ms, last + Math.max(span * (narrow ? 0.16 : 0.14), bars.step_ms * 4)];
}

function lastTime(bars, marks) { return Math.max(bars.t.at(-1), marks.forming?.t ?? 0); }

/** The span of prices in sight, with the plan always in it, and levels, averages and false prices where they are not far off. */
export function priceRange(bars, marks, [from, to], asked) {
  let low = Infinity, high = -Infinity;
  const take = (value, reach) => {
    if (value === null || value === undefined || value < low - reach || value > high + reach) return;
    low = Math.min(low, value); high = Math.max(high, value);
  };
  bars.t.forEach((time, at) => { if (time >= from && time <= to) { low = Math.min(low, bars.l[at]); high = Math.max(high, bars.h[at]); } });
  if (low === Infinity) { low = Math.min(...bars.l); high = Math.max(...bars.h); }
  const span = Math.max(high - low, Math.abs(high) * 1e-6, 1e-12);
  if (marks.forming) { take(marks.forming.l, Infinity); take(marks.forming.h, Infinity); }
  marks.plan.forEach((mark) => take(mark.price, span * 2));
  marks.levels.forEach((mark) => take(mark.price, span * 0.5));
  (marks.again ?? []).forEach((mark) => take(mark.price, span * 0.5));
  marks.false.filter((mark) => mark.pane === "price").forEach((mark) => take(mark.claimed, span * 0.5));
  const at = lastSeen(bars, "ema_200", [from, to]);
  if (at !== null) take(everyBar(bars, "ema_200")[at], span * 0.35);
  if (bars.lines[asked]?.over) take(lastValue(bars, asked), span * 1.5);  // asked for: it may take more room
  const room = Math.max(high - low, span) * 0.07;
  return [low - room * 2.2, high + room];
}

/** A line on call as points; one of a higher timeframe in steps. x: in ms. */
function points(bars, key) {
  const { at, v } = bars.lines[key] ?? { at: null, v: [] };
  return at === null ? { x: bars.t, y: v, shape: "linear" } : { x: [...at.map((index) => bars.t[index]), bars.t[bars.known - 1]], y: [...v, v.at(-1) ?? null], shape: "hv" };
}

/** The values of a line of the chart's own timeframe. */
function everyBar(bars, key) { return bars.lines[key]?.v ?? []; }

function lastValue(bars, key) { return points(bars, key).y.at(-1) ?? null; }

/** A number of any size in a few signs. */
function short(value) {
  const size = Math.abs(value);
  return number(value, size >= 1000 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 4);
}

function lastSeen(bars, key, [, to]) {
  for (let at = bars.known - 1; at >= 0; at -= 1) if (bars.t[at] <= to) return everyBar(bars, key)[at] == null ? null : at;
  return null;
}

/** Figures of an axis have no decimals that all of them leave empty. */
function roundDecimals(prices, most) {
  for (let decimals = 0; decimals < most; decimals += 1) if (prices.every((price) => Math.abs(Number(price.toFixed(decimals)) - price) < 1e-9 * Math.abs(price))) return decimals;
  return most;
}

function date(ms) { return new Date(ms).toISOString().slice(0, 23).replace("T", " "); }
/** A volume: on a Chinese page, 100,000 and more are counted by 万 and 亿. */
export function volume(value) {
  const chinese = document.documentElement.lang.startsWith("zh") && value >= 1e5;
  return chinese ? new Intl.NumberFormat("zh-Hans", { notation: "compact", maximumFractionDigits: 2 }).format(value) : number(value, value < 100 ? 2 : 0);
}

export function number(value, decimals) { return value.toLocaleString("en-US", { minimumFractionDigits: decimals, maximumFractionDigits: decimals }).replace("-", "−"); }
function escape(text) { return String(text).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;"); }
function note(more) { return { showarrow: false, ...more }; }
function arrow(x, y, tail, colour) { return { xref: "x", x, yref: "y", y, ax: 0, ay: tail, showarrow: true, arrowhead: 2, arrowsize: 1.1, arrowwidth: 1.2, arrowcolor: colour, text: "" }; }
