/* Plays a saved page: every part of it as it stood after each event, from what the file itself holds. Stands in the file, whose policy lets
   this one script run and nothing be fetched. Made for by pages/run/saved_page.py. */
(() => {
  const held = document.getElementById("played"), bar = document.querySelector(".tb-player");
  if (!held || !bar) return;
  const { at, words, parts: changes } = JSON.parse(held.textContent), last = at.length - 1;
  const [button, range, line] = bar.children, places = [...document.querySelectorAll("[data-part]")];
  const versions = changes.map((list) => {
    let text = "";
    return list.map(([moment, begin, end, between]) => {
      text = text.slice(0, begin) + between + text.slice(text.length - end);
      return { moment, text };
    });
  });
  const shown = versions.map((list) => list.length - 1);
  let now = last, playing = false, clock = 0, since = 0;

  function show(moment) {
    now = Math.max(0, Math.min(last, moment));
    versions.forEach((list, index) => {
      let found = list.length - 1;
      while (found >= 0 && list[found].moment > now) found -= 1;
      if (found === shown[index]) return;
      shown[index] = found;
      places[index].innerHTML = found < 0 ? "" : list[found].text;  // made by Tribunal, every word of it escaped
    });
    range.value = now;
    line.textContent = words[now];
    range.setAttribute("aria-valuetext", words[now]);
    document.documentElement.dataset.moment = now;
  }

  function room() {  // the page keeps its height while it is filled, so that nothing moves under the reader
    for (const place of places) place.style.minHeight = now === last && !playing ? "" : place.style.minHeight || `${place.offsetHeight}px`;
  }

  function set(on) {
    playing = on;
    room();
    button.textContent = on ? button.dataset.pause : button.dataset.play;
    if (!on) return;
    if (now === last) show(0);
    clock = at[now];
    since = performance.now();
    requestAnimationFrame(tick);
  }

  function tick() {
    if (!playing) return;
    const reached = clock + performance.now() - since;
    let moment = now;
    while (moment < last && at[moment + 1] <= reached) moment += 1;
    if (moment !== now) show(moment);
    if (now === last) set(false);
    else requestAnimationFrame(tick);
  }

  button.addEventListener("click", () => set(!playing));
  range.addEventListener("input", () => {
    set(false);
    room();
    for (const place of places) place.style.minHeight ||= `${place.offsetHeight}px`;
    show(Number(range.value));
    room();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== " " || event.target.closest?.("button, input, a, summary, [tabindex]")) return;
    event.preventDefault();
    set(!playing);
  });
  range.max = last;
  bar.hidden = false;
  show(last);
  set(false);
})();
