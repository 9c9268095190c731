/* Shows measured series: the server's own drawing, and with it the value under the pointer. Mounted by pages/chart/curves.py; fetches
   nothing. */

/** The charts have come or changed. Returns what takes them away again. */
export function show({ data, parentElement }) {
  const host = parentElement.querySelector(":scope > .tb-curves") ?? Object.assign(document.createElement("div"), { className: "tb-curves" });
  if (!host.isConnected) parentElement.append(host);
  if (host.shown !== data.html) host.innerHTML = host.shown = data.html;  // every word in it was escaped where it was made
  const gone = new AbortController(), series = JSON.parse(data.points);
  host.querySelectorAll(".tb-curve").forEach((figure, place) => follow(figure, series[place] ?? [], gone.signal));
  return () => gone.abort();
}

/** Lets the head of a chart say the value that is nearest to the pointer; the last one when it has gone. */
function follow(figure, points, signal) {
  const plot = figure.querySelector(".plot"), now = figure.querySelector(".now");
  if (!points.length || !plot || !now) return;
  const last = now.innerHTML, rule = Object.assign(document.createElement("i"), { className: "rule", hidden: true });
  const first = Number(plot.dataset.start), end = Number(plot.dataset.end);
  plot.append(rule);
  plot.addEventListener("pointermove", (event) => {
    const box = plot.getBoundingClientRect(), at = first + (end - first) * (event.clientX - box.left) / box.width;
    const [time, words, value] = points.reduce((near, point) => Math.abs(point[0] - at) < Math.abs(near[0] - at) ? point : near);
    rule.hidden = false;
    rule.style.left = `${100 * (time - first) / (end - first)}%`;
    now.replaceChildren(`${words} `, Object.assign(document.createElement("b"), { textContent: value }));
  }, { signal });
  plot.addEventListener("pointerleave", () => { rule.hidden = true; now.innerHTML = last; }, { signal });
}
