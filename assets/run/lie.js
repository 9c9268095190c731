/* The box in which anybody lies to a run: sends what is typed to the server, a moment after the last key or at once on Enter, and shows the
   answer: the sentence as the roles' words are inked, and its false values on the chart. Mounted by pages/desks/lie.py; the box is HTML of
   the page. Nothing is kept here either: not in the address, not in the browser's storage. */

const WAIT = 180;  // ms after the last key
let asked = null, timer = 0, turn = 0, last = "";

export function show({ data }) {
  asked = data;
  document.documentElement.dataset.lie = "heard";
  const input = document.querySelector(".tb-lie-in");
  if (input?.value) check(boxOf(input));  // typed before this script came
  else if (input && document.activeElement === input) ready();
  return () => {
    if (asked !== data) return;
    asked = null;
    last = "";
    mark([]);
  };
}

const boxOf = (target) => target.closest?.(".tb-lie");
const mark = (marks) => document.dispatchEvent(new CustomEvent("tribunal-typed", { detail: marks }));
const line = (box, words) => { box.querySelector("[role=status]").textContent = words; };

document.addEventListener("focusin", (event) => {
  if (event.target.matches?.(".tb-lie-in")) ready();
});

document.addEventListener("input", (event) => {
  if (!event.target.matches?.(".tb-lie-in") || event.isComposing) return;
  clearTimeout(timer);
  timer = setTimeout(() => check(boxOf(event.target)), WAIT);
});

document.addEventListener("compositionend", (event) => {
  if (event.target.matches?.(".tb-lie-in")) check(boxOf(event.target));
});

document.addEventListener("keydown", (event) => {
  if (!event.target.matches?.(".tb-lie-in") || event.isComposing) return;
  if (event.key === "Enter") check(boxOf(event.target), true);
  else if (event.key === "Escape" && event.target.value) { event.target.value = ""; check(boxOf(event.target)); }
  else return;
  event.preventDefault();
});

document.addEventListener("click", (event) => {
  const press = event.target.closest?.(".tb-lie-go, .tb-lie-try");
  if (!press) return;
  const box = boxOf(press), input = box.querySelector(".tb-lie-in");
  if (press.matches(".tb-lie-try")) input.value = press.dataset.lieTry;
  input.focus({ preventScroll: true });
  check(box, true);
});

/** The server reads the run's facts before the first sentence comes. */
function ready() {
  if (asked) send("").catch(() => null);
}

async function send(text) {
  const address = new URL(`../../of-run/${encodeURIComponent(asked.run)}/said`, import.meta.url);
  address.search = "";
  const body = JSON.stringify({ language: asked.language, text });
  const answer = await fetch(address, { method: "POST", headers: { "content-type": "application/json", "x-tribunal-visit": asked.visit }, body });
  return { ok: answer.ok, ended: answer.status === 403, ...await answer.json().catch(() => ({})) };
}

async function check(box, again = false) {
  clearTimeout(timer);
  if (!asked || !box) return;
  const text = box.querySelector(".tb-lie-in").value.trim(), own = ++turn, words = asked.words;
  if (!again && text === last) return;
  last = text;
  if (!text) return shown(box, "", "", []);
  const began = performance.now(), slow = setTimeout(() => { if (own === turn) line(box, words.slow); }, 400);
  const answer = await send(text).catch(() => null);
  clearTimeout(slow);
  if (own !== turn) return;  // a newer sentence was asked about
  if (!answer?.ok) return shown(box, "", !answer ? words.lost : answer.ended ? words.ended : answer.why ?? words.lost, []);
  shown(box, answer.html, answer.say, answer.marks);
  box.dataset.ms = (performance.now() - began).toFixed(1);  // from the key to the ink
}

function shown(box, html, say, marks) {
  box.querySelector(".out").innerHTML = html;  // made by the server, every word of it escaped there
  line(box, say);
  mark(marks);
}
