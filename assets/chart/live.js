/* What stands on the chart beside the record: the price as it is now, and the money at a line that is under the reader's hand. Boxes of the
   page over the plot, moved without drawing anything anew. A price grows old here too: whatever becomes of the server, it is not shown as
   that of now for longer than it may be. */

export class LivePrice {
  /** number: writes one. */
  constructor(chart, number) { this.chart = chart; this.number = number; }

  build(frame) {
    this.parts = Object.fromEntries(["line", "tag", "age", "held"].map((name) => {
      const part = document.createElement("span");
      part.className = `tb-live ${name}`;
      part.hidden = true;
      frame.append(part);
      return [name, part];
    }));
    this.parts.held.setAttribute("role", "status");
    this.place();
  }

  /** Something new was seen; null: nothing is awaited any more. */
  take(content) {
    clearInterval(this.timer);
    this.content = content;
    this.heard = performance.now();
    if (content?.moves) this.timer = setInterval(() => this.place(), 1000);
    this.place();
  }

  end() { clearInterval(this.timer); }

  get age() { return this.content.age_s + (performance.now() - this.heard) / 1000; }

  place() {
    const { content, chart, parts } = this, { figure, plot } = chart;
    if (!parts) return;
    if (!content?.moves) {
      parts.line.hidden = parts.tag.hidden = parts.age.hidden = true;
      if (figure && plot) this.makeRoom(figure.tagRows);
      return;
    }
    const old = this.age > content.stale_s, words = old ? content.words.old.replace("{age}", this.since()) : "";
    if (old) for (const each of document.querySelectorAll(".tb-seen")) { each.classList.add("old"); each.querySelector(".age").textContent = words; }
    if (!figure || !plot?.clientWidth) return;
    const [low, high] = figure.scale, left = plot.offsetLeft + figure.margin.l, top = plot.offsetTop + figure.margin.t;
    const inside = content.price >= low && content.price <= high, at = figure.y(Math.min(Math.max(content.price, low), high));
    const from = Math.min(Math.max(figure.x(figure.last), 0), figure.width - 20);
    put(parts.line, { left: left + from, top: top + at, width: figure.width - from });
    parts.line.hidden = !inside;
    const mine = { price: content.price }, rows = [...figure.tagRows, mine].sort((a, b) => b.price - a.price);
    const places = figure.tagPlaces(rows), spot = top + places[rows.indexOf(mine)];
    this.makeRoom(rows, places);
    put(parts.tag, { left: left + figure.width + 2, top: spot, width: figure.margin.r - 8 });
    parts.tag.textContent = (inside ? "" : content.price > high ? "▲ " : "▼ ") + content.text;
    put(parts.age, { left: left + figure.width + 2 + figure.margin.r - 8, top: spot + 10 });
    parts.age.textContent = words;
    parts.age.hidden = !old;
    for (const part of [parts.line, parts.tag]) part.className = `tb-live ${part === parts.tag ? "tag" : "line"} ${old ? "old" : content.tone}`;
  }

  /** Move the tags of the chart to their places beside that of the price, without drawing them anew; without places back to where they were
      drawn. */
  makeRoom(rows, places) {
    rows.forEach(({ note, y }, at) => {
      const tag = note === undefined ? null : this.chart.plot.querySelector(`.annotation[data-index="${note}"]`);
      if (tag) tag.style.transform = places ? `translateY(${places[at] - y}px)` : "";
    });
  }

  since() {
    const age = this.age;
    return age < 60 ? `${Math.floor(age)}\u2009s` : age < 3600 ? `${Math.floor(age / 60)}\u2009min` : `${Math.floor(age / 3600)}\u2009h`;
  }

  /** What a level would mean, beside its line. mark: of the plan; null: none is held. */
  tell(mark) {
    const part = this.parts?.held, { figure, plot } = this.chart;
    if (!part) return;
    const lines = mark && figure ? this.lines(mark) : null;
    if (!lines) { part.hidden = true; return; }
    part.replaceChildren(...lines.map(([text, tone]) => Object.assign(document.createElement("b"), { textContent: text, className: tone })));
    const y = Math.min(Math.max(figure.y(mark.price), 18), figure.height * 0.73 - 18);
    put(part, { left: plot.offsetLeft + figure.margin.l + Math.min(figure.x(figure.right), figure.width) - 8, top: plot.offsetTop + figure.margin.t + y });
  }

  /** Loss or gain and the net ratio, or on which side the level belongs. */
  lines(mark) {
    const money = this.content?.money, words = this.content?.words;
    if (!money || mark.kind === "entry") return null;
    const other = this.chart.marks.plan.find((each) => each.kind === (mark.kind === "stop" ? "target" : "stop"))?.price ?? null;
    const levels = { [mark.kind]: mark.price, [mark.kind === "stop" ? "target" : "stop"]: other };
    const { loss, gain, ratio } = moneyAt(money, levels.stop ?? null, levels.target ?? null);
    const value = mark.kind === "stop" ? loss === null ? null : -loss : gain;
    if (value === null) return [[words[`wrong_${mark.kind}`], "tb-bad"]];
    const found = [[`${words[mark.kind]} ${value > 0 ? "+" : ""}${this.number(value, 1)} ${money.unit}`, value < 0 ? "tb-down" : "tb-up"]];
    if (ratio !== null) found.push([`${words.ratio} ${this.number(ratio, 2)}`, ""]);
    return found;
  }
}

/** What is lost at the stop and won at the target, after costs, and the ratio of what the plan adds; null for a level on the wrong side of
    the price. As engine/trading/figures.py has it; the terms come from there. */
export function moneyAt({ sign, price, size, entry, added, since, paid, out, wander }, stop, target) {
  const funding = target === null ? 0 : wander * (target - price) ** 2;
  const loses = stop !== null && (price - stop) * sign > 0, wins = target !== null && (target - price) * sign > 0;
  const lost = (of, from) => of * ((from - stop) * sign + out * stop) + paid + Math.max(funding, 0);
  const gained = (of, from) => of * ((target - from) * sign - out * target) - paid - funding;
  const risk = loses ? lost(added, since) : 0;
  return {
    loss: loses ? lost(size, entry) : null,
    gain: wins ? gained(size, entry) : null,
    ratio: wins && risk > 0 ? gained(added, since) / risk : null,
  };
}

function put(part, box) {
  part.hidden = false;
  for (const [side, value] of Object.entries(box)) part.style[side] = `${value}px`;
}
