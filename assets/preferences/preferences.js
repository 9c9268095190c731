/* What a browser keeps for its reader: light or dark, which colour means up, the language. Mounted by pages/frame/preferences.py: the
   part "theme" is the switch on Settings; the part "keep" writes choices down.
   Light or dark is Streamlit's own choice, which its menu (not shown here) keeps under a name for every page: it is kept for all of them. */

const YEAR_S = 31_536_000;
const storage = (path) => `stActiveTheme-${path}-v2`;  // tests/browser/test_settings.py notices when Streamlit renames it

export function show({ data, parentElement }) {
  if (data.part === "keep") Object.entries(data.cookies).forEach(([name, value]) => keep(name, value));
  else draw(data, parentElement);
}

function keep(name, value) {
  const secure = location.protocol === "https:" ? "; Secure" : "";
  document.cookie = `${name}=${encodeURIComponent(value)}; path=/; max-age=${YEAR_S}; SameSite=Strict${secure}`;
}

function chosen(paths) {
  const texts = paths.map((path) => localStorage.getItem(storage(path)));
  return texts.map((text) => text?.replaceAll('"', "")).find((word) => word === "Light" || word === "Dark") ?? "System";
}

function draw({ paths, label, options }, host) {
  const set = document.createElement("fieldset"), legend = document.createElement("legend");
  set.className = "tb tb-choice";
  legend.textContent = label;
  set.append(legend);
  const now = chosen(paths);
  for (const [word, text] of Object.entries(options)) {
    const line = document.createElement("label"), radio = document.createElement("input");
    Object.assign(radio, { type: "radio", name: "tribunal-theme", value: word, checked: word === now });
    radio.onchange = () => {
      for (const path of paths) localStorage.setItem(storage(path), JSON.stringify(word));
      location.reload();  // Streamlit reads its choice when a page is loaded
    };
    line.append(radio, text);
    set.append(line);
  }
  host.replaceChildren(set);
}
