/* What a guided demo does in the browser: it brings the place of the beat into view and dims the rest, counts what was struck, lets false
   prices fly to the chart, and asks for the page when the next beat is due. Mounted by pages/run/guide.py, whose bar has the words and the
   buttons. It never takes a press: the veil lets every one through. */

const NEAR = 10;    // px around a place
const AGAIN = 1000;  // ms after which a drawing that did not come is asked for once more
const GONE = 400;    // ms without its bar after which a demo is over
const still = matchMedia("(prefers-reduced-motion: reduce)");
let told = null, veil = null, frame = 0, timer = 0, gone_at = 0, seen = "", struck = "";

export function show(component) {
  told = JSON.parse(component.data.told);
  if (!veil?.isConnected) {
    veil = document.createElement("div");
    veil.className = "tb-veil";
    veil.setAttribute("aria-hidden", "true");
    (document.querySelector(".stApp") ?? document.body).append(veil);
  }
  const beat = `${told.run} ${told.beat}`;
  if (seen !== beat) {
    seen = beat;
    setTimeout(bring, 60);  // once what came with the beat is drawn
    if (told.effect === "strike") setTimeout(strike, 120);
  }
  if (!frame) frame = requestAnimationFrame(follow);
  clearTimeout(timer);
  if (told.next !== null) timer = setTimeout(function ask() {
    component.setTriggerValue("redraw", 1);
    timer = setTimeout(ask, AGAIN);
  }, told.next);
}

/** Its bar is gone for longer than a page takes to be drawn anew. */
function end() {
  cancelAnimationFrame(frame);
  clearTimeout(timer);
  frame = 0;
  told = null;
  seen = "";
  gone_at = 0;
  veil?.remove();
}

function places() {
  const found = [];
  for (const place of told?.places ?? []) {
    const element = [...document.querySelectorAll(place)].find((each) => each.getClientRects().length);
    if (element) found.push(element);
  }
  return found;
}

/** Scroll so that the first place is seen, and of the others as much as there is room for. */
function bring() {
  const [first, ...others] = places().map((each) => each.getBoundingClientRect()), room = document.querySelector('[data-testid="stMain"]');
  if (!first || !room) return;
  const box = room.getBoundingClientRect(), edge = NEAR * 2 + (document.querySelector('[data-testid="stHeader"]')?.offsetHeight ?? 0);
  const top = Math.min(first.top, ...others.map((each) => each.top)), bottom = Math.max(first.bottom, ...others.map((each) => each.bottom));
  const height = box.height - edge - NEAR;
  let by = 0;
  if (bottom - top <= height) by = top < box.top + edge ? top - box.top - edge : bottom > box.bottom - NEAR ? bottom - box.bottom + NEAR : 0;
  else if (others.length && top < first.top) by = first.top - box.top - edge - height * 0.55;
  else by = first.top - box.top - edge;
  if (Math.abs(by) > 4) room.scrollBy({ top: by, behavior: still.matches ? "auto" : "smooth" });
}

/** Cut the places out of the veil, wherever they are by now. */
function follow() {
  if (!told) return;
  if (document.querySelector(".st-key-guide")) gone_at = 0;
  else if (performance.now() - (gone_at ||= performance.now()) > GONE) return end();
  const width = innerWidth, height = innerHeight;
  const holes = places().map((each) => {
    const at = each.getBoundingClientRect();
    const left = at.left - NEAR, right = at.right + NEAR, top = at.top - NEAR, bottom = at.bottom + NEAR;
    return `M${left} ${top}H${right}V${bottom}H${left}Z`;
  });
  const path = holes.length ? `path(evenodd, "M0 0H${width}V${height}H0Z ${union(holes)}")` : "";
  if (veil.dataset.path !== path) {
    veil.dataset.path = path;
    veil.style.clipPath = path;
    veil.hidden = !holes.length;
  }
  frame = requestAnimationFrame(follow);
}

/** Places that lie over each other would be dimmed again where they do: only the first of two equal ones is cut. */
function union(holes) { return [...new Set(holes)].join(" "); }

function strike() {
  if (still.matches || struck === seen) return;
  struck = seen;
  count();
  const chart = document.querySelector(".tb-chart");
  if (!chart) return;
  const to = chart.getBoundingClientRect();
  const false_ = [...document.querySelectorAll("#panel-debate .tb-claim.false, #panel-debate .tb-claim del")].map((each) => each.closest(".tb-claim") ?? each);
  [...new Set(false_)].filter(isPrice).slice(0, 12).forEach((claim, number) => fly(claim, to, number));
}

/** Whether a claim states a price, which has a place on the chart. */
function isPrice(claim) {
  return /(^|\.)(ema|sma|bb|vwap|support|resistance|close)(_|$)/.test(claim.dataset.key ?? "");
}

function fly(claim, to, number) {
  const said = claim.querySelector("del") ?? claim, from = said.getBoundingClientRect();
  if (!from.width) return;
  const line = level(said.textContent), copy = document.createElement("span");
  copy.className = "tb tb-flying";
  copy.textContent = said.textContent;
  copy.style.left = `${from.left}px`;
  copy.style.top = `${from.top}px`;
  (document.querySelector(".stApp") ?? document.body).append(copy);
  const x = to.left + to.width * 0.82 - from.left, y = (line ?? to.top + to.height * 0.3) - from.top;
  copy.animate(
    [{ transform: "none", opacity: 1 }, { transform: `translate(${x}px, ${y}px)`, opacity: 1, offset: 0.8 }, { transform: `translate(${x}px, ${y}px)`, opacity: 0 }],
    { duration: 1100, delay: 90 * number, easing: "cubic-bezier(.3,.7,.2,1)", fill: "both" },
  ).finished.finally(() => copy.remove());
}

/** Where the chart says this false price, px; null where it does not. */
function level(text) {
  const digits = text.replace(/[^\d.]/g, "");
  const said = [...document.querySelectorAll(".tb-chart .annotation, .tb-chart text")].find((each) => digits && each.textContent.replace(/[^\d.]/g, "").includes(digits));
  return said ? said.getBoundingClientRect().top : null;
}

function count() {
  const part = document.querySelector(".tb-guide [data-count]"), last = Number(part?.dataset.count);
  if (!part || !last) return;
  const begun = performance.now();
  const step = (now) => {
    const share = Math.min(1, (now - begun) / 900);
    if (!part.isConnected) return;
    part.textContent = String(Math.round(last * share));
    if (share < 1) requestAnimationFrame(step);
  };
  step(begun);
}

document.addEventListener("click", (event) => {
  const link = event.target.closest?.(".tb-guide-lie");
  if (!link) return;
  event.preventDefault();
  const box = document.getElementById("lie");
  box?.scrollIntoView({ block: "center", behavior: still.matches ? "auto" : "smooth" });
  box?.querySelector("textarea, input")?.focus({ preventScroll: true });
});

addEventListener("resize", () => { if (told) bring(); });
