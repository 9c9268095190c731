/* Hears the buttons that dispute a struck claim, and the reasons that are typed beside them, wherever they stand in the page, and tells the
   server once. The focus is put back when the page has been drawn anew. Mounted by pages/claims/dispute_buttons.py. */

const WAIT = 8000;  // ms until the page has been drawn anew
let mounted = null;

export function show(component) {
  mounted = component;
  return () => { if (mounted === component) mounted = null; };
}

document.addEventListener("click", (event) => {
  const button = event.target.closest?.("[data-dispute]");
  if (!button || !mounted) return;
  event.preventDefault();
  event.stopPropagation();  // a press inside a claim's card is no press on the claim
  button.disabled = true;
  tell(button, { claim: button.dataset.dispute, undo: button.dataset.undo === "1" });
}, true);

document.addEventListener("change", (event) => {
  const input = event.target.closest?.("[data-dispute-why]");
  if (input && mounted) tell(input, { claim: input.dataset.disputeWhy, why: input.value });
}, true);

function tell(element, press) {
  mounted.setTriggerValue("press", { run: mounted.data.run, ...press });
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
