"""The browser files of the page: folders that this page's server gives out, and how a mounted component loads its script from one.

A `components.v2` component mounts once and stays in the page; its inline script only loads the file, which is served as a folder of
`declare_component`: no build, no copy.
"""

from pathlib import Path

import streamlit as st
from streamlit.components.v1 import declare_component

ASSETS = Path(__file__).parents[2] / "assets"

LOADER = """
export default function (component) {
  let over = false, stop = null;
  const address = new URL(component.data.script, window.location.origin);
  const again = () => { if (!over) setTimeout(load, 2000); };
  const load = () => import(address).then((file) => { if (!over) stop = file.show(component); }, again);
  load();
  return () => { over = true; if (stop) stop(); };
}
"""
"""`data.script`: the address of the file. It exports `show(component)`, and what that returns takes it away again."""


def served(name: str, folder: Path, file: str) -> str:
    """The address under which this page's server gives `folder/file`; it changes with the files, so that no browser keeps an old one."""
    component = declare_component(name, path=folder)
    base = str(st.get_option("server.baseUrlPath") or "").strip("/")
    stamp = max(int(path.stat().st_mtime) for path in folder.glob("*.js"))
    return f"{'/' + base if base else ''}/component/{component.name}/{file}?v={stamp}"
