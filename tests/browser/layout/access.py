"""What axe, the keyboard's focus, forced colours and paper have to say of a page as it stands."""

from importlib.resources import files
from typing import Any, Final

from pypdfium2 import PdfDocument

AXE: Final = (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
"""Put into a page before it loads: `add_init_script`."""
RUN_AXE: Final = """async (rules) => {
  const only = rules.length ? { runOnly: { type: 'rule', values: rules } } : {};
  const said = await axe.run({ exclude: ['.main-svg'] }, { resultTypes: ['violations'], ...only });
  return said.violations.filter((rule) => ['serious', 'critical'].includes(rule.impact)).flatMap(
    (rule) => rule.nodes.map((node) => `${rule.id}: ${node.html.slice(0, 160)}`));
}"""
IN_OTHER_COLOURS: Final = ("color-contrast", "link-in-text-block")
"""The only rules that say something else of the same page in other colours."""
FAINT_RINGS: Final = """async () => {
  const seen = (text) => { const [r, g, b, a = 1] = text.match(/[\\d.]+/g)?.map(Number) ?? [0, 0, 0, 0]; return { r, g, b, a }; };
  const brush = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const colour = (text) => {  // any notation as red, green, blue, alpha
    if (/^rgba?\\(/.test(text)) return seen(text);
    brush.clearRect(0, 0, 1, 1); brush.fillStyle = text; brush.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = brush.getImageData(0, 0, 1, 1).data;
    return { r, g, b, a: a / 255 };
  };
  const over = (top, below) => ({ r: top.r * top.a + below.r * (1 - top.a), g: top.g * top.a + below.g * (1 - top.a),
    b: top.b * top.a + below.b * (1 - top.a), a: 1 });
  const light = ({ r, g, b }) => {
    const [x, y, z] = [r, g, b].map((each) => (each /= 255) <= .04045 ? each / 12.92 : ((each + .055) / 1.055) ** 2.4);
    return .2126 * x + .7152 * y + .0722 * z;
  };
  const contrast = (one, other) => {
    const [high, low] = [light(one), light(other)].sort((x, y) => y - x);
    return (high + .05) / (low + .05);
  };
  const ground = (element) => {  // what is painted around it
    const layers = [];
    for (let each = element.parentElement; each; each = each.parentElement) {
      const painted = colour(getComputedStyle(each).backgroundColor);
      if (painted.a) layers.push(painted);
      if (painted.a === 1) break;
    }
    return layers.reverse().reduce((below, top) => over(top, below), { r: 255, g: 255, b: 255, a: 1 });
  };
  const chain = (element) => {
    const found = [];
    for (let each = element, left = 9; each && left; each = each.parentElement, left -= 1) found.push(each);
    return found.concat([...element.querySelectorAll("*")].slice(0, 6), [...(element.parentElement?.children ?? [])].slice(0, 4));
  };
  const edges = (each) => {
    const style = getComputedStyle(each), drawn = [];
    if (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1) drawn.push(["outline", style.outlineColor]);
    const shadows = style.boxShadow === "none" ? [] : style.boxShadow.matchAll(/(rgba?|color|oklab|oklch)\\([^)]*\\)/g);
    for (const [part] of shadows) drawn.push(["shadow", part]);
    if (style.borderTopStyle !== "none" && parseFloat(style.borderTopWidth) >= 1) drawn.push(["border", style.borderTopColor]);
    if (style.borderBottomStyle !== "none" && parseFloat(style.borderBottomWidth) >= 1) drawn.push(["foot", style.borderBottomColor]);
    return drawn.map(([kind, value]) => `${kind} ${value}`);
  };
  const all = "a[href], button, input, select, textarea, summary, [tabindex='0'], [role=slider], [role=radio], [role=combobox]";
  const can = [...document.querySelectorAll(all)].filter((each) => !each.disabled && each.tabIndex >= 0 && each.getClientRects().length
    && !each.closest("[inert], [aria-hidden=true]") && getComputedStyle(each).visibility === "visible");
  const paint = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  const faint = [];
  for (const each of can) {
    document.activeElement?.blur?.();
    const around = chain(each), before = around.map((other) => new Set(edges(other)));
    const best = () => Math.max(0, ...around.flatMap((other, at) => edges(other).filter((edge) => !before[at].has(edge)).map((edge) => {
      const behind = ground(other), painted = colour(edge.slice(edge.indexOf(" ") + 1));
      return contrast(over(painted, behind), behind);
    })));
    each.focus({ preventScroll: true, focusVisible: true });
    if (document.activeElement !== each) continue;
    let ratio = best();
    if (ratio < 3) { await paint(); ratio = best(); }  // some of Streamlit's own draw theirs a moment later
    if (ratio < 3) faint.push(`${ratio.toFixed(2)}: ${each.outerHTML.slice(0, 120)} in ${each.closest("[data-testid]")?.dataset.testid}`);
  }
  document.activeElement?.blur?.();
  return [...new Set(faint)];
}"""
"""Focus everything that can be reached with Tab, and look for an edge that appears with 3:1 against what is behind it."""
NAMED: Final = """() => ({ lang: document.documentElement.lang, title: document.title,
  heads: [...document.querySelectorAll("h1")].map((each) => each.innerText.trim()),
  doubled: Object.entries([...document.querySelectorAll("[id]")].reduce((count, { id }) => ({ ...count, [id]: (count[id] ?? 0) + 1 }), {}))
    .filter(([id, n]) => n > 1 && !id.startsWith("plotly")).map(([id]) => id).slice(0, 4) })"""
VANISHED: Final = """(shapes) => [...document.querySelectorAll(shapes)]
  .filter((each) => each.offsetParent && each.getBoundingClientRect().width > 1)
  .filter((each) => {
    const style = getComputedStyle(each), canvas = getComputedStyle(document.body).backgroundColor;
    const edged = ["Top", "Left"].some((side) => style[`border${side}Style`] !== "none" && parseFloat(style[`border${side}Width`]) > 0);
    return !edged && (style.backgroundColor === canvas || /^rgba.*, 0\\)$/.test(style.backgroundColor)) && style.backgroundImage === "none";
  }).map((each) => each.outerHTML.slice(0, 100)).slice(0, 6)"""
"""Shapes that show nothing but a colour, and have none of their own: what forced colours leave of them."""


SHAPES: Final = (
    ".tb-track span, .tb-tl .bars span, .tb-dir .bar span, .tb-pips span, .tb-lim .m span, .tb-bar span, .tb-wf .b, "
    ".tb-lane .t > span, .tb-time .t > span, .tb-hist > span"
)
"""Bars and pips, which say how much by their size."""
HEADINGS: Final = """() => [...document.querySelectorAll('[data-testid=stMain] :is(h2, h3)')].filter((each) => each.offsetParent)
  .map((each) => each.innerText.trim()).filter(Boolean)"""


def grave(page: Any, rules: tuple[str, ...] = ()) -> list[str]:
    """Return what axe finds serious or critical, and finds again: what is being drawn is paler for a moment. rules: only these; all of
    them when there are none."""
    for _ in range(6):
        if not (said := page.evaluate(RUN_AXE, list(rules))):
            break
        page.wait_for_timeout(500)
    return list(said)


def vanished(page: Any) -> list[str]:
    """Return bars and pips that cannot be seen where the system forces its colours."""
    page.emulate_media(forced_colors="active")
    gone = list(page.evaluate(VANISHED, SHAPES))
    page.emulate_media(forced_colors="none")
    return gone


def left_out_on_paper(page: Any) -> list[str]:
    """Return the headings of panels that stand on the page and not on its paper."""
    document = PdfDocument(page.pdf(format="A4"))
    try:
        printed = "".join("".join(sheet.get_textpage().get_text_range().split()) for sheet in document)
    finally:
        document.close()
    return [words for words in page.evaluate(HEADINGS) if "".join(words.split()) not in printed]


def faint_rings(page: Any) -> list[str]:
    """Return what can be focused without a ring that can be seen. The keyboard is used first: rings are for those who use it."""
    page.keyboard.press("Tab")
    faint = list(page.evaluate(FAINT_RINGS))
    page.keyboard.press("Escape")  # a field for a date has opened its calendar
    return faint
