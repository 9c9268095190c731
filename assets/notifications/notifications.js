/* A button that lets the reader be told when a run ends, by a sound and, where the browser allows it, a notification. The choice is the
   browser's own and stays in it. Mounted once by pages/run/notifications.py, which says what the page's run is doing. */

const KEPT = "tribunal-bell";  // the name readers' browsers know it by
const seen = new Map();  // run -> whether it was still going on when last heard of
let audio = null;

/** The page's run as it is now. Tells of an end that was seen to come, never of one that was there when the page was opened. */
export function show({ data, parentElement }) {
  const button = parentElement.querySelector("button") ?? build(parentElement);
  const wanted = () => localStorage.getItem(KEPT) === "on";
  const paint = () => {
    const on = wanted();
    button.textContent = `${on ? "◉" : "○"} ${data.label}`;
    button.setAttribute("aria-pressed", String(on));
    button.title = on && !allowed() ? data.off : "";
  };
  button.onclick = async () => {
    localStorage.setItem(KEPT, wanted() ? "off" : "on");
    if (wanted()) {
      sounding();  // a browser lets a page sound only after a click
      if ("Notification" in window && Notification.permission === "default") await Notification.requestPermission();
    }
    paint();
  };
  paint();
  if (!data.run) return;
  if (seen.get(data.run) && !data.going && wanted()) notify(data);
  seen.set(data.run, data.going);
}

function build(host) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "tb tb-notify";
  host.replaceChildren(button);
  return button;
}

function allowed() { return "Notification" in window && Notification.permission === "granted"; }

function sounding() {
  audio ??= window.AudioContext ? new AudioContext() : null;
  audio?.resume();
  return audio;
}

function notify({ run, title, body }) {
  chime();
  if (!allowed()) return;
  const note = new Notification(`Tribunal · ${title}`, { body, tag: run });  // one a run, however many tabs watch it
  note.onclick = () => { window.focus(); note.close(); };
}

/** Two soft tones, a fifth apart. */
function chime() {
  const context = sounding();
  if (!context) return;
  [523.25, 783.99].forEach((pitch, index) => {
    const tone = context.createOscillator(), volume = context.createGain(), at = context.currentTime + index * 0.16;
    tone.frequency.value = pitch;
    volume.gain.setValueAtTime(0, at);
    volume.gain.linearRampToValueAtTime(0.12, at + 0.02);
    volume.gain.exponentialRampToValueAtTime(0.001, at + 0.5);
    tone.connect(volume).connect(context.destination);
    tone.start(at);
    tone.stop(at + 0.55);
  });
}
