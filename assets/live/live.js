/* Draws what roles write, in the seats of the page, as it arrives; counts seconds on; asks for the panels to be drawn anew when something else
   has happened. Mounted by pages/run/live_stream.py, which says where the events are. Words are text nodes and nothing else.

   A stream that says nothing for a while, is cut or cannot be had is not waited for: the page asks for its panels twice a second, as long
   as it does not come back. A page in the background has no stream, and asks every two seconds. */

const PULSE = 500;      // ms: the one timer
const HIDDEN = 2000;    // ms between two drawings of a page that nobody sees
const SILENCE = 13;      // beats of the timer without a word, three of the server's, after which a stream is taken for dead: a page that is busy counts none
const STAGES = 200;     // ms at least between two drawings that stages ask for
const AGAIN = [1000, 2000, 5000, 15000, 30000];  // ms before another try
const AT_END = 8;       // px from its end at which a reader follows a text

const texts = new Map();     // seat -> {length, blocks}
const drawn = new WeakMap(); // seat's element -> [{kind, pieces, element}]
const clocks = new WeakMap(); // element -> [seconds, when they were seen]
const readers = new Map();   // seat -> where in it its reader is, null for at its end
const placed = new WeakMap(); // box -> [where it was put, its height then]

let mounted = null, stream = null, run = null, last = "", is_over = false, failures = 0, retry_at = 0, asked_at = 0, asks = false;
let pulse = null, watching = null;

export function show(component) {
  const { data } = component;
  if (run !== data.run) { texts.clear(); readers.clear(); last = String(data.seq); is_over = false; }
  if (run !== data.run || mounted?.data.visit !== data.visit) { hangUp(); failures = 0; retry_at = 0; }
  mounted = component;
  run = data.run;
  if (!pulse) {
    pulse = setInterval(beat, PULSE);
    watching = new MutationObserver(adopt);
    watching.observe(document.body, { childList: true, subtree: true });
    document.addEventListener("visibilitychange", seen);
    document.addEventListener("scroll", scrolled, true);
  }
  adopt();
  dial();
  return () => { if (mounted === component) leave(); };
}

function leave() {
  hangUp();
  clearInterval(pulse);
  watching.disconnect();
  document.removeEventListener("visibilitychange", seen);
  document.removeEventListener("scroll", scrolled, true);
  pulse = watching = mounted = run = null;
}

/* the stream */

function dial() {
  if (!mounted || stream || is_over || document.hidden || performance.now() < retry_at) return;
  const { address, visit } = mounted.data, mine = stream = { silent: 0, works: false, cut: new AbortController() };
  const headers = { accept: "text/event-stream", "x-tribunal-visit": visit, "last-event-id": last };
  fetch(address, { headers, cache: "no-store", signal: mine.cut.signal })
    .then((answer) => { if (!answer.ok) throw new Error(answer.status); return listen(answer.body.getReader(), mine); })
    .catch(() => {})
    .then(() => {
      if (stream !== mine) return;
      stream = null;
      retry_at = performance.now() + (mine.works ? AGAIN[0] : AGAIN[Math.min(failures++, AGAIN.length - 1)]);
    });
}

function hangUp() {
  const mine = stream;
  stream = null;
  mine?.cut.abort();
}

async function listen(reader, mine) {
  const decoder = new TextDecoder();
  let rest = "";
  for (let part = await reader.read(); !part.done && stream === mine; part = await reader.read()) {
    mine.silent = 0;
    mine.works = true;
    failures = 0;
    const messages = (rest + decoder.decode(part.value, { stream: true })).split("\n\n");
    rest = messages.pop();
    messages.forEach(hear);
  }
}

function hear(message) {
  const field = (name) => message.match(new RegExp(`^${name}: (.*)$`, "m"))?.[1];
  const kind = field("event");
  last = field("id") ?? last;
  if (kind === "text") take(JSON.parse(field("data")));
  else if (kind === "stage") ask();
  else if (kind === "over") { is_over = true; ask(); }
}

/** The timer: seconds go on; a stream that has died is left; without one the page is drawn as often as it was before there were any. */
function beat() {
  tick();
  if (stream && ++stream.silent > SILENCE) hangUp();
  dial();
  if (!stream?.works && performance.now() - asked_at >= (document.hidden ? HIDDEN : PULSE - 20)) draw();
}

function seen() {
  if (document.hidden) return hangUp();
  retry_at = 0;
  dial();
  draw();
}

/** Have the panels drawn, soon, and once for all stages that come together. */
function ask() {
  if (asks) return;
  asks = true;
  setTimeout(() => { asks = false; draw(); }, Math.max(0, asked_at + STAGES - performance.now()));
}

function draw() {
  asked_at = performance.now();
  mounted?.setTriggerValue("redraw", 1);
}

/* texts in their seats */

function take({ s: seat, n: length, k: kept, b: blocks }) {
  const known = texts.get(seat)?.blocks ?? [];
  texts.set(seat, { length, blocks: [...known.slice(0, kept), ...blocks] });
  for (const element of document.querySelectorAll(`[data-live="${CSS.escape(seat)}"]`)) {
    if (length >= Number(element.dataset.at)) write(element, seat);  // what was drawn may be ahead of a stream that lags
  }
  watching?.takeRecords();
}

/** Seats and clocks that have just been drawn. */
function adopt() {
  for (const element of document.querySelectorAll("[data-live]")) {
    if (drawn.has(element)) continue;
    const seat = element.dataset.live, text = texts.get(seat);
    if (text && text.length >= Number(element.dataset.at)) write(element, seat);
    else drawn.set(element, null);
    follow(element, seat);
  }
  for (const element of document.querySelectorAll("[data-spent]")) {
    if (!clocks.has(element)) clocks.set(element, [Number(element.dataset.spent), performance.now()]);
  }
  watching?.takeRecords();
}

function write(element, seat) {
  const old = drawn.get(element), { blocks } = texts.get(seat), now = [];
  if (!blocks.length) return;  // as it was drawn: a caret alone
  heed(element, seat);
  if (!old) element.replaceChildren();
  let at = 0;
  for (; old && at < old.length && at < blocks.length && old[at].kind === blocks[at][0]; at++) {
    now.push({ ...old[at], pieces: patch(old[at], blocks[at][1]) });
  }
  for (const gone of (old ?? []).slice(at)) gone.element.remove();
  for (const list of element.querySelectorAll("ul:empty")) list.remove();
  for (const [kind, pieces] of blocks.slice(at)) {
    const block = { kind, pieces: [], element: made(kind, element) };
    now.push({ ...block, pieces: patch(block, pieces) });
  }
  drawn.set(element, now);
  now.at(-1).element.append(Object.assign(document.createElement("span"), { className: "tb-caret" }));
  follow(element, seat);
}

/** A new block at the end of a seat; an item of a list in the list that ends it. */
function made(kind, seat) {
  const element = document.createElement(kind === "li" ? "li" : "p");
  if (kind === "item" || kind === "h") element.className = kind === "item" ? "tb-item" : "tb-sub";
  let place = seat;
  if (kind === "li" && (place = seat.lastElementChild)?.tagName !== "UL") seat.append(place = document.createElement("ul"));
  place.append(element);
  return element;
}

/** Bring a block to these pieces: what stands there stays, so that what a reader has marked in it does, too. Returns what stands there then. */
function patch({ element, pieces: old }, pieces) {
  element.querySelector(".tb-caret")?.remove();
  let at = 0;
  while (at < old.length && at < pieces.length && old[at].look === pieces[at][0]) {
    const [look, words] = pieces[at], { node } = old[at];
    if (look !== "br" && node.data !== words) {
      if (words.startsWith(node.data)) node.appendData(words.slice(node.data.length));
      else node.data = words;
    }
    at++;
  }
  for (const { part } of old.slice(at)) part.remove();
  return [...old.slice(0, at), ...pieces.slice(at).map(([look, words]) => {
    const node = document.createTextNode(words);
    let part = look === "br" ? document.createElement("br") : node;
    if (look.startsWith("b") && look !== "br") (part = document.createElement("strong")).append(node);
    if (look.endsWith("p")) {
      const mark = Object.assign(document.createElement("span"), { className: "tb-claim pend", title: mounted?.data.pending ?? "" });
      mark.append(part);
      part = mark;
    }
    element.append(part);
    return { look, node, part };
  })];
}

/* following the end */

/** Before a text changes: notice that its reader has moved it, of which the browser may not have told yet. */
function heed(element, seat) {
  const box = element.closest(".txt"), [top, height] = placed.get(box) ?? [];
  if (top !== undefined && Math.abs(box.scrollTop - top) > 1) stand(seat, box, height);
}

function follow(element, seat) {
  const box = element.closest(".txt");
  if (!box || box.scrollHeight <= box.clientHeight) return;
  box.scrollTop = readers.get(seat) ?? box.scrollHeight;
  placed.set(box, [box.scrollTop, box.scrollHeight]);
}

/** Note where the reader of a text is, which had that height when they were last seen there. */
function stand(seat, box, height) {
  readers.set(seat, height - box.scrollTop - box.clientHeight < AT_END ? null : box.scrollTop);
}

/** The reader has moved a text: away from its end, where it stays, or back to it. */
function scrolled({ target }) {
  const seat = target.querySelector?.(":scope > [data-live]")?.dataset.live;
  if (seat) stand(seat, target, target.scrollHeight);
}

/* seconds */

function tick() {
  for (const element of document.querySelectorAll("[data-spent]")) {
    const [spent, seen_at] = clocks.get(element) ?? [], words = element.firstChild;
    if (words && seen_at !== undefined) words.data = seconds(spent + (performance.now() - seen_at) / 1000);
  }
}

/** As pages/frame/numbers.py writes them. */
function seconds(value) {
  if (value < 99.95) return `${value.toFixed(1)}\u2009s`;
  return `${Math.floor(value / 60)}:${String(Math.floor(value) % 60).padStart(2, "0")}`;
}
