/* The reader's hand on the plan: stop and target are taken at their line, right of the last bar or at their tag on the axis, and moved up and
   down. While a line is held it is drawn where the hand is; when it is let go its price is told once. What comes from the server meanwhile is
   kept back, and so is an older price of the line until the answer to the new one has come. Keys: the number inputs of the page. */

const REACH = 8;        // px to the line with a mouse
const REACH_TOUCH = 16;
const WAIT = 4000;      // ms until the server's price counts again

export class LevelDrag {
  constructor(chart) {
    this.chart = chart;
    this.held = null;          // {kind, price}
    this.sent = new Map();     // kind -> {price, before, until}
  }

  get holds() { return this.held !== null; }

  /** New marks have come: lines that were moved stay where they were put until the server has them there too. */
  meet(marks) {
    for (const mark of marks.plan) {
      const sent = this.sent.get(mark.kind);
      if (sent && (mark.price !== sent.before || Date.now() > sent.until)) this.sent.delete(mark.kind);
      const mine = this.held?.kind === mark.kind ? this.held : this.sent.get(mark.kind);
      if (mine) this.place(mark, mine.price);
    }
  }

  listen(plot, signal) {
    const options = { capture: true, passive: false, signal };
    plot.addEventListener("pointermove", (event) => this.move(event, plot), options);
    plot.addEventListener("pointerdown", (event) => this.take(event, plot), options);
    plot.addEventListener("pointerleave", () => { if (!this.holds) this.chart.live.tell(null); }, { signal });
    for (const kind of ["pointerup", "pointercancel"]) plot.addEventListener(kind, (event) => this.leave(event, plot), options);
    // Plotly pans at these: not while a line is held
    for (const kind of ["mousedown", "touchstart", "touchmove", "click", "dblclick"]) plot.addEventListener(kind, (event) => { if (this.holds || this.just) quiet(event); }, options);
  }

  /** The line under the pointer: `stop`, `target` or nothing. */
  under(event, plot) {
    const { chart } = this, { figure, marks } = chart;
    if (!figure || !marks?.drag_step) return null;
    const box = plot.getBoundingClientRect(), y = event.clientY - box.top - figure.margin.t, x = event.clientX - box.left - figure.margin.l;
    if (x < figure.x(figure.right) - 4 || y > figure.height * 0.74) return null;
    const reach = event.pointerType === "touch" ? REACH_TOUCH : REACH;
    const near = marks.plan.filter((mark) => mark.kind !== "entry" && figure.inside(mark.price))
      .map((mark) => ({ mark, gap: Math.abs(figure.y(mark.price) - y) })).filter(({ gap }) => gap <= reach).sort((a, b) => a.gap - b.gap);
    return near[0]?.mark ?? null;
  }

  take(event, plot) {
    const mark = event.button === 0 ? this.under(event, plot) : null;
    if (!mark) return;
    quiet(event);
    this.held = { kind: mark.kind, price: mark.price, before: mark.price, from: event.clientY };
    this.scale = [...this.chart.figure.scale];  // the axis stands still while the hand moves
    plot.setPointerCapture?.(event.pointerId);
  }

  move(event, plot) {
    if (!this.held) {
      const near = this.under(event, plot);
      plot.classList.toggle("tb-grab", near !== null);
      this.chart.live.tell(near);
      return;
    }
    quiet(event);
    const { figure, marks } = this.chart, [low, high] = this.scale, step = marks.drag_step;
    const moved = ((event.clientY - this.held.from) / (figure.height * 0.73)) * (high - low);  // however the page scrolls meanwhile
    const price = Math.min(Math.max(this.held.before - moved, low), high);
    this.held.price = Number((Math.round(price / step) * step).toFixed(decimals(step)));
    const mark = marks.plan.find((each) => each.kind === this.held.kind);
    if (mark) this.place(mark, this.held.price);
    if (mark) this.chart.live.tell(mark);
    this.chart.queue();
  }

  leave(event, plot) {
    const { held } = this;
    if (!held) return;
    quiet(event);
    this.held = this.scale = null;
    this.chart.live.tell(null);
    this.just = true;
    setTimeout(() => { this.just = false; }, 50);
    plot.releasePointerCapture?.(event.pointerId);
    if (held.price !== held.before && event.type === "pointerup") {
      this.sent.set(held.kind, { price: held.price, before: held.before, until: Date.now() + WAIT });
      this.chart.sendLevel(held.kind, held.price);
    }
    this.chart.queue();
  }

  place(mark, price) {
    mark.price = price;
    mark.text = price.toLocaleString("en-US", { minimumFractionDigits: this.chart.bars?.decimals ?? 1, maximumFractionDigits: this.chart.bars?.decimals ?? 1 });
  }
}

function decimals(step) { return Math.max(0, Math.ceil(-Math.log10(step) - 1e-9)); }
function quiet(event) { event.stopPropagation(); event.preventDefault(); }
