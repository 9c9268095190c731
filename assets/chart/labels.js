/* Where words stand on the chart: on no other word, and on no candle, average or level. Pure: boxes in pixels of the plot. */

const TALL = 13;
export const TAG = 17;  // px between two tags of the axis

/** Places of tags on the axis: as near to where they belong as they can be, `gap` apart, and never in another order. wanted: falling prices,
    so rising pixels. from, to: they stay between, where there is room for them. As `spread` of pages/chart/drawing.py. */
export function spread(wanted, gap, from, to) {
  const blocks = [];  // tags that touch one another move as one: [sum of what they want without the gaps, how many]
  wanted.forEach((at, index) => {
    blocks.push([at - index * gap, 1]);
    while (blocks.length > 1 && blocks.at(-2)[0] / blocks.at(-2)[1] > blocks.at(-1)[0] / blocks.at(-1)[1]) {
      const [sum, count] = blocks.pop();
      blocks.at(-1)[0] += sum;
      blocks.at(-1)[1] += count;
    }
  });
  const last = Math.max(from, to - (wanted.length - 1) * gap);
  return blocks.flatMap(([sum, count]) => Array(count).fill(Math.min(Math.max(sum / count, from), last))).map((at, index) => at + index * gap);
}

/** Boxes of everything drawn that a word must not cover. figure: of the frame. */
export function obstacles(figure) {
  const { bars, marks, range } = figure, boxes = [], half = Math.max(1, (figure.x(bars.step_ms) - figure.x(0)) * 0.4);
  bars.t.forEach((time, at) => {
    if (time < range[0] || time > range[1]) return;
    const x = figure.x(time);
    boxes.push([x - half, figure.y(bars.h[at]) - 1, x + half, figure.y(bars.l[at]) + 1]);
    for (const key of ["ema_20", "ema_50", "ema_200"]) {
      const value = bars.lines[key]?.v?.[at], before = bars.lines[key]?.v?.[at - 1] ?? value;
      if (value === null || value === undefined) continue;
      const tops = [figure.y(value), figure.y(before)];
      boxes.push([x - half * 2.4, Math.min(...tops) - 1.5, x + half, Math.max(...tops) + 1.5]);
    }
  });
  const across = [...marks.levels, ...marks.false.filter((mark) => mark.pane === "price").map((mark) => ({ price: mark.claimed }))];
  for (const mark of across) if (figure.inside(mark.price)) boxes.push([0, figure.y(mark.price) - 1, figure.width, figure.y(mark.price) + 1]);
  for (const mark of marks.plan) if (figure.inside(mark.price)) boxes.push([figure.x(figure.right), figure.y(mark.price) - 1, figure.width, figure.y(mark.price) + 1]);
  for (const tick of figure.again) boxes.push([tick.from, figure.y(tick.price) - 1, tick.to, figure.y(tick.price) + 1]);
  return boxes;
}

/** How wide words are in the chart's type, roughly, and rather too wide. */
export function widthOf(words) { return [...words].reduce((sum, char) => sum + (char.charCodeAt(0) > 0x2e80 ? 11.5 : 6.3), 4); }

/** Return the place of a word, or null where there is none. figure: has `taken`, boxes of words, and `drawn`, of the rest; a place is added to
    `taken`. spots: wanted left (or right) edges, best first. sweep: any other edge will do too. must: rather on something than nowhere. */
export function placeOf(figure, words, { spots, tops, anchor, sweep, must }) {
  const wide = widthOf(words), wanted = [...spots];
  if (sweep) for (let left = 4; left < figure.width - wide; left += 18) wanted.push(anchor === "right" ? left + wide : left);
  const places = wanted.flatMap((spot) => tops.map((top) => {
    const left = anchor === "right" ? spot - wide : spot;
    return { spot, top, box: [left, top, left + wide, top + TALL] };
  })).filter(({ box }) => box[0] >= 0 && box[2] <= figure.width + 2 && box[1] >= -2 && box[3] <= figure.height * 0.74);
  const misses = (boxes) => ({ box }) => boxes.every((other) => box[2] < other[0] || box[0] > other[2] || box[3] <= other[1] || box[1] >= other[3]);
  const unsaid = places.filter(misses(figure.taken));
  const covers = ({ box }) => figure.drawn.reduce((sum, other) => sum + (misses([other])({ box }) ? 0 : 1), 0);
  const least = (all) => all.map((each) => [covers(each), each]).sort((a, b) => a[0] - b[0])[0]?.[1];  // the first of equals
  const place = unsaid.find(misses(figure.drawn)) ?? (must ? least(unsaid) ?? places[0] : null);
  if (place) figure.taken.push(place.box);
  return place ?? null;
}
