/* The figures of the axes: prices at round numbers that no tag covers, times of UTC with the date at midnight. Pure. */

const MINUTE = 60_000, HOUR = 60 * MINUTE, DAY = 24 * HOUR;
const STEPS = [5 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 7 * DAY, 14 * DAY, 30 * DAY, 91 * DAY, 182 * DAY, 365 * DAY];

/** Return `{vals, text}`: times in ms at whole steps, `06:00`, at midnight `05-17`. most: how many there is room for. */
export function timeTicks([from, to], most) {
  const step = STEPS.find((each) => (to - from) / each <= most) ?? STEPS.at(-1), vals = [];
  for (let time = Math.ceil(from / step) * step; time <= to; time += step) vals.push(time);
  const text = vals.map((time) => {
    const iso = new Date(time).toISOString(), isMidnight = time % DAY === 0;
    if (step > 200 * DAY) return iso.slice(0, 4);
    if (step >= 30 * DAY) return iso.slice(0, 7);
    return isMidnight ? `<b>${iso.slice(5, 10)}</b>` : iso.slice(11, 16);
  });
  return { vals, text };
}

const CALENDAR = [
  [(iso) => iso.slice(0, 10), 5, 10],
  [(_, time) => Math.floor((time - 4 * DAY) / (7 * DAY)), 5, 10],  // weeks begin on a Monday
  [(iso) => iso.slice(0, 7), 0, 7],
  [(iso) => iso.slice(0, 4) + Math.floor((Number(iso.slice(5, 7)) - 1) / 3), 0, 7],
  [(iso) => iso.slice(0, 4), 0, 4],
];

/** Return the same for bars that stand at equal distances: at the first one of a day, week, month, quarter or year. */
export function sessionTicks({ t, opened }, [from, to], most) {
  let vals = [], text = [];
  for (const [period, first, last] of CALENDAR) {
    const names = opened.map((time) => period(new Date(time).toISOString(), time));
    const seen = t.map((_, at) => at).filter((at) => at && names[at] !== names[at - 1] && t[at] >= from && t[at] <= to);
    vals = seen.map((at) => t[at]);
    text = seen.map((at) => new Date(opened[at]).toISOString().slice(first, last));
    if (vals.length <= most) break;
  }
  return { vals, text };
}

/** Return round prices within the scale, `most` of them at most: 1, 2, 2.5 or 5 times a power of ten apart. */
export function roundPrices([low, high], most) {
  const power = 10 ** Math.floor(Math.log10((high - low) / most)), steps = [1, 2, 2.5, 5, 10, 20].map((each) => each * power);
  const count = (step) => Math.floor(high / step) - Math.ceil(low / step) + 1, step = steps.find((each) => count(each) <= most) ?? steps.at(-1), prices = [];
  for (let at = Math.ceil(low / step); at * step <= high; at += 1) prices.push(Number((at * step).toPrecision(12)));
  return prices;
}

/** Return the range a reader may look at: never wider than the data, never past either of its ends. */
export function withinData([from, to], first, last) {
  const span = Math.min(to - from, last - first), left = Math.min(Math.max(from, first), last - span);
  return [left, left + span];
}
