/* Keys: r runs, e edits, a approves and x rejects (a second press confirms an approval), j and k walk the queue, space plays a
   run that is looked back at and pauses a demo, Escape ends it, ? lists them. Never while
   somebody writes, and never beside Ctrl, Alt or Meta. Within a text of checked numbers Tab stops once, and arrows go from one to the next. */

const BUTTONS = {
  r: ".st-key-run-button button",
  e: '[class*="st-key-open-edits-"] button',
  a: '[class*="st-key-approve-"] button',
  x: '[class*="st-key-open-rejects-"] button, [class*="st-key-reject-"] button',
  " ": '.st-key-guide-pause button, [class*="st-key-play-"] button',
  Escape: ".st-key-guide-end button",
};
const PRESSED_BY_SPACE = "button, a, summary, label, input, [role=button], [role=tab], [role=radio]";
const CARDS = '[class*="st-key-choose-"] button';
const CLAIMS = ".tb-claim[tabindex]";
const TEXTS = ".tb-an .txt, .tb-say, .tb-card";
const ARROWS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

export class Keys {
  constructor() {
    this.words = {};
    document.addEventListener("keydown", (event) => this.pressed(event));
    document.addEventListener("focusin", (event) => this.entered(event));
    new MutationObserver(() => this.later()).observe(document.body, { childList: true, subtree: true });
    this.rove();
  }

  meet(words) { this.words = words; }

  pressed(event) {
    if (event.key === "Escape" && this.dialog?.open) return this.dialog.close();
    const target = event.target;
    if (ARROWS[event.key] && target.matches?.(CLAIMS)) return this.step(event, target);
    if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented || writes(target)) return;
    if (event.key === "?") return this.list();
    if (this.dialog?.open) return;
    if (event.key === " " && target.closest?.(PRESSED_BY_SPACE)) return;
    if (event.key === "j" || event.key === "k") return this.walk(event, event.key === "j" ? 1 : -1);
    const button = BUTTONS[event.key] && [...document.querySelectorAll(BUTTONS[event.key])].find((each) => !each.disabled && each.offsetParent);
    if (!button) return;
    event.preventDefault();
    if (event.key === "a") return this.ask(button);
    button.click();
  }

  /** An approval is asked for: what would be signed stands in the question, and only its own button signs. */
  ask(button) {
    const bar = document.querySelector(".tb-verdict .word, .tb-signhead .word")?.innerText ?? "";
    const box = this.open(this.words.ask);
    add(box, "p", `${bar} · ${button.innerText.trim()}`);
    const row = add(box, "div", ""), yes = add(row, "button", this.words.yes), no = add(row, "button", this.words.no);
    yes.className = "go";
    yes.onclick = () => { box.close(); if (button.isConnected && !button.disabled) button.click(); };
    no.onclick = () => box.close();
    box.showModal();
    no.focus();
  }

  list() {
    const box = this.open(this.words.title), rows = add(box, "dl", "");
    for (const line of this.words.keys.split("\n")) {
      const [key, meaning] = line.split("\t");
      add(rows, "dt", key);
      add(rows, "dd", meaning);
    }
    const close = add(box, "button", this.words.close);
    close.onclick = () => box.close();
    box.showModal();
  }

  open(title) {
    this.dialog?.remove();
    const box = this.dialog = add(document.querySelector(".stApp") ?? document.body, "dialog", "");
    box.className = "tb tb-keys";
    box.setAttribute("aria-label", title);
    add(box, "h2", title);
    return box;
  }

  walk(event, by) {
    const cards = [...document.querySelectorAll(CARDS)];
    if (!cards.length) return;
    event.preventDefault();
    const now = cards.findIndex((card) => card.closest('[class*="st-key-card-"]')?.querySelector("[aria-current]"));
    const next = cards[Math.min(cards.length - 1, Math.max(0, now + by))];
    if (cards.indexOf(next) !== now) next.click();
  }

  step(event, claim) {
    const all = claimsOf(claim), next = all[all.indexOf(claim) + ARROWS[event.key]];
    if (!next) return;
    event.preventDefault();
    next.focus();
  }

  entered(event) {
    const claim = event.target.closest?.(CLAIMS);
    if (!claim) return;
    for (const each of claimsOf(claim)) each.tabIndex = each === claim ? 0 : -1;
  }

  later() {
    if (this.waits) return;
    this.waits = true;
    setTimeout(() => { this.waits = false; this.rove(); }, 200);
  }

  /** Every text keeps one stop: the number that was focused last, else its first. */
  rove() {
    const texts = new Map();
    for (const claim of document.querySelectorAll(CLAIMS)) {
      const text = claim.closest(TEXTS);
      if (text) texts.set(text, [...(texts.get(text) ?? []), claim]);
    }
    for (const claims of texts.values()) {
      const stop = claims.find((each) => each === document.activeElement) ?? claims.find((each) => each.dataset.stop) ?? claims[0];
      for (const each of claims) {
        const index = each === stop ? 0 : -1;
        if (each.tabIndex !== index) each.tabIndex = index;
      }
    }
  }
}

function claimsOf(claim) {
  const text = claim.closest(TEXTS);
  return text ? [...text.querySelectorAll(CLAIMS)].filter((each) => each.closest(TEXTS) === text) : [claim];
}

function writes(target) {
  return Boolean(target.closest?.("input:not([type=radio]):not([type=checkbox]), textarea, select, [contenteditable=true], [role=combobox], [role=slider]"));
}

function add(parent, tag, text) {
  const made = document.createElement(tag);
  if (text) made.textContent = text;
  if (tag === "button") made.type = "button";
  parent.append(made);
  return made;
}
