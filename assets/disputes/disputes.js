/* Hears the buttons that dispute a struck claim, and the reasons that are typed beside them, wherever they stand in the page, and tells the
   server once. The buttons are shown once they are heard; the focus is put back when the page has been drawn anew. Mounted by
   pages/claims/dispute_buttons.py. */

const WAIT = 8000;  // ms until the page has been drawn anew
let mounted = null, run = null;
const untold = [];

export function show(component) {
  mounted = component;
  run = component.data.run;
  document.documentElement.dataset.disputes = "heard";
  const press = untold.shift();  // each is answered by drawing the page anew, which leads here again
  if (press) component.setTriggerValue("press", press);
  return () => { if (mounted === component) mounted = null; };  // and mounted again in a moment, where its page is only drawn anew
}

document.addEventListener("click", (event) => {
  const button = event.target.closest?.("[data-dispute]");
  if (!button) return;
  event.preventDefault();
  event.stopPropagation();  // a press inside a claim's card is no press on the claim
  button.disabled = true;
  tell(button, { run, claim: button.dataset.dispute, undo: button.dataset.undo === "1" });
}, true);

document.addEventListener("change", (event) => {
  const input = event.target.closest?.("[data-dispute-why]");
  if (input) tell(input, { run, claim: input.dataset.disputeWhy, why: input.value });
}, true);

function tell(element, press) {
  if (mounted) mounted.setTriggerValue("press", press);
  else untold.push(press);
  const inCard = element.closest(".tb-claim"), place = inCard ? `.tb-claim [data-dispute="${press.claim}"]` : `td [data-dispute="${press.claim}"]`;
  const until = Date.now() + WAIT;
  const back = () => {
    if (Date.now() > until || (document.activeElement && document.activeElement !== document.body && document.activeElement !== element)) return;
    const button = [...document.querySelectorAll(place)].find((each) => !each.disabled);
    if (element.isConnected || !button) return setTimeout(back, 60);
    (inCard ? button.closest(".tb-claim") : button).focus({ preventScroll: true });
  };
  back();
}
