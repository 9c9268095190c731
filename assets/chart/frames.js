/* The same candles in a longer timeframe: what a chart shows besides the one that was decided on. Candles, levels, the plan and false prices
   stay; averages and indicators were measured on the run's own candles, and are shown on those only. Pure. */

const HOUR = 3_600_000, DAY = 24 * HOUR, WEEK = 7 * DAY;
const FRAMES = [["5m", HOUR / 12], ["15m", HOUR / 4], ["1h", HOUR], ["4h", 4 * HOUR], ["1d", DAY], ["1w", WEEK]];
const MOST = 3;      // longer ones that are offered
const LEAST = 15;    // candles that one must have
const MONDAY = 4 * DAY;  // since the epoch, a Thursday

const begin = (time, step) => (step === WEEK ? Math.floor((time - MONDAY) / WEEK) * WEEK + MONDAY : Math.floor(time / step) * step);

/** Return `[name, ms]` of the chart's own timeframe and of the longer ones for which there are enough candles. own: its name. */
export function framesOf(bars, own) {
  const { t, step_ms: step } = bars, times = bars.opened ?? t;
  const span = times.length ? times.at(-1) + step - times[0] : 0;
  const longer = FRAMES.filter(([, ms]) => ms > step && ms % step === 0 && span / ms >= LEAST);
  return [[own, step], ...longer.slice(0, MOST)];
}

/** Return `{bars, marks}` in candles of `ms`; unchanged for the chart's own. */
export function inFrame(bars, marks, ms) {
  if (!ms || ms === bars.step_ms || !bars.t.length) return { bars, marks };
  const made = { t: [], o: [], h: [], l: [], c: [], v: [] }, times = bars.opened ?? bars.t, open = marks.forming;
  const take = (time, o, h, l, c, v) => {
    const at = begin(time, ms), last = made.t.length - 1;
    if (made.t[last] !== at) for (const [name, value] of Object.entries({ t: at, o, h, l, c, v })) made[name].push(value);
    else Object.assign(made, { h: made.h.with(last, Math.max(made.h[last], h)), l: made.l.with(last, Math.min(made.l[last], l)), c: made.c.with(last, c), v: made.v.with(last, made.v[last] + v) });
  };
  times.forEach((time, at) => take(time, bars.o[at], bars.h[at], bars.l[at], bars.c[at], bars.v[at]));
  if (open) take(open.t, open.o, open.h, open.l, open.c, open.v ?? 0);
  const decided = begin(times[bars.known - 1], ms);
  const isOpen = Boolean(open) || times.at(-1) + bars.step_ms < made.t.at(-1) + ms;
  const forming = isOpen ? { t: made.t.pop(), o: made.o.pop(), h: made.h.pop(), l: made.l.pop(), c: made.c.pop(), v: made.v.pop() } : null;
  const known = Math.max(1, made.t.filter((time) => time <= decided).length);
  return {
    bars: { ...bars, ...made, opened: undefined, known, step_ms: ms, id: `${bars.id}|${ms}`, lines: {} },
    marks: { ...marks, forming, patterns: [], false: marks.false.filter((mark) => mark.pane === "price"), events: (marks.events ?? []).map((mark) => ({ ...mark, t: begin(mark.t, ms) })) },
  };
}
