/* What the frame of every page does in the browser: the sidebar closes by itself where there is little room, a tap in the navigation closes it
   on a phone, and keys that a trader knows. Mounted once by pages/frame/page_frame.py, which brings the words. Nothing is fetched, and
   nothing is kept but whether the reader has opened the sidebar. */

const PHONE = 900;   // px below which the sidebar covers the page
const ROOMY = 1280;  // px from which it is open at first
const PATIENCE_MS = 1200;
const files = new URL(import.meta.url).search;
const { Keys } = await import(`./keys.js${files}`);

let keys = null;
let settled = false;

export function show({ data }) {
  document.documentElement.lang = data.lang;
  speak(data.lang);
  const skip = document.querySelector('[data-testid="stSkipToContent"]')?.firstChild;
  if (skip) skip.nodeValue = data.skip;  // Streamlit's own link, in the page's language
  if (!keys) {
    keys = new Keys();
    document.addEventListener("click", closeAfterTap, true);
  }
  keys.meet(data);
  if (!settled) settle();
}

/** Streamlit's calendar names its months in the browser's language: let that be the page's. */
function speak(lang) {
  if (navigator.language.split("-")[0] === lang.split("-")[0]) return;
  Object.defineProperty(navigator, "language", { value: lang, configurable: true });
  window.dispatchEvent(new Event("languagechange"));
}

function sidebar() { return document.querySelector('[data-testid="stSidebar"]'); }
function isOpen() { return sidebar()?.dataset.collapsed === "false"; }
function close() { document.querySelector('[data-testid="stSidebarCollapseButton"] button')?.click(); }

/** Close it at first where there is little room; the style sheet shows it there only when that is done and the page itself has come. */
function settle() {
  if (!sidebar()) return setTimeout(settle, 50);
  settled = true;
  if (window.innerWidth < ROOMY && isOpen()) close();
  const since = performance.now();
  const look = () => {
    const there = document.querySelector(".tb-notice, .tb-tab, .tb-choice") || performance.now() - since > PATIENCE_MS;
    requestAnimationFrame(there ? () => document.documentElement.classList.add("tb-settled") : look);
  };
  look();
}

function closeAfterTap(event) {
  if (window.innerWidth >= PHONE || !event.target.closest?.('[data-testid="stSidebarNavLink"]')) return;
  setTimeout(() => { if (isOpen()) close(); }, 0);
}
