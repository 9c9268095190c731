/* Days without trading take no room on a chart of days: its bars stand at equal distances, and keep the day they are of. Pure. */

const DAY = 86_400_000;

/** Return `{bars, marks}` as they are drawn. bars: with times `opened` beside `t` where days were left out, when `t` is where a bar stands;
    unchanged where none were. Candles of less than a day keep their gaps: there a gap is something that is missing. */
export function withoutClosedDays(bars, marks) {
  const { t: opened, step_ms: step } = bars, end = opened.length - 1;
  if (step < DAY || end < 1 || opened[end] - opened[0] === end * step) return { bars, marks };
  const drawn = { ...bars, opened, t: opened.map((_, at) => opened[end] - (end - at) * step) };
  const moved = (mark) => ({ ...mark, t: slotOf(drawn, mark.t) });
  return { bars: drawn, marks: { ...marks, forming: marks.forming && moved(marks.forming), patterns: marks.patterns.map(moved), events: (marks.events ?? []).map(moved) } };
}

/** Return where a time stands on the chart: at the last bar that had opened by then; past both ends as far from them as it is. */
export function slotOf({ opened, t }, time) {
  if (!opened || time === null) return time;
  if (time <= opened[0]) return t[0] - (opened[0] - time);
  if (time >= opened.at(-1)) return t.at(-1) + (time - opened.at(-1));
  return t[opened.findLastIndex((each) => each <= time)];
}
