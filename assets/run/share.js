/* Shows a finished run to others: paints its picture and copies it, or saves it where the browser does not copy pictures; copies the link
   that plays it. Mounted by pages/desks/share.py; the buttons are HTML of the page. The picture is drawn by the server out of the run, as
   SVG, and painted here: nothing is fetched from anywhere else. */

const WIDTH = 1200, HEIGHT = 630;
let asked = null;

export function show({ data }) {
  asked = data;
  return () => { if (asked === data) asked = null; };
}

document.addEventListener("click", (event) => {
  const button = event.target.closest?.("[data-share]");
  if (!button || !asked) return;
  const said = button.parentElement.querySelector("[role=status]"), say = (word) => { said.textContent = asked?.words[word] ?? word; };
  if (button.dataset.share === "link") link(say, said);
  else picture(say, button);
});

async function link(say, said) {
  const address = new URL(asked.link, document.baseURI).href;
  try {
    await navigator.clipboard.writeText(address);
    say("linked");
  } catch {  // no clipboard here: the reader copies it
    const field = Object.assign(document.createElement("input"), { type: "text", readOnly: true, value: address, ariaLabel: address });
    said.replaceChildren(field);
    field.focus();
    field.select();
  }
}

async function picture(say, button) {
  const { run } = asked, made = paint();
  button.disabled = true;
  say("made");
  try {
    if (!await copied(made)) {
      const url = URL.createObjectURL(await made);
      Object.assign(document.createElement("a"), { href: url, download: `tribunal-${run}.png` }).click();
      setTimeout(() => URL.revokeObjectURL(url), 10_000);
      say("saved");
    } else say("copied");
  } catch (problem) {
    say(problem.message === "403" ? "ended" : "failed");
  }
  button.disabled = false;
}

/** Whether it stands in the clipboard. Written at once, with a promise of the picture: a browser may refuse what comes later than the press. */
async function copied(made) {
  if (!navigator.clipboard?.write || !window.ClipboardItem) return false;
  try {
    await navigator.clipboard.write([new ClipboardItem({ "image/png": made })]);
    return true;
  } catch {
    await made;  // a picture that could not be made is no refusal of the clipboard
    return false;
  }
}

async function paint() {
  const address = new URL(`../../of-run/${encodeURIComponent(asked.run)}/picture`, import.meta.url);
  address.search = "";
  const theme = dark() ? "dark" : "light";
  const body = JSON.stringify({ language: asked.language, theme, up_down: asked.up_down });
  const answer = await fetch(address, { method: "POST", headers: { "content-type": "application/json", "x-tribunal-visit": asked.visit }, body });
  if (!answer.ok) throw new Error(String(answer.status));
  const image = new Image(WIDTH, HEIGHT);
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent((await answer.json()).svg)}`;
  await image.decode();
  const canvas = Object.assign(document.createElement("canvas"), { width: WIDTH, height: HEIGHT });
  canvas.getContext("2d").drawImage(image, 0, 0, WIDTH, HEIGHT);
  return new Promise((done, failed) => canvas.toBlob((blob) => blob ? done(blob) : failed(new Error("no picture")), "image/png"));
}

/** Whether the page is dark: what its ground looks like. */
function dark() {
  const probe = Object.assign(document.createElement("i"), { hidden: true });
  probe.style.color = "light-dark(#000, #fff)";
  (document.querySelector(".stApp") ?? document.body).append(probe);
  const found = getComputedStyle(probe).color !== "rgb(0, 0, 0)";
  probe.remove();
  return found;
}
