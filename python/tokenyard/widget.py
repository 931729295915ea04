"""The page within a notebook: a frame that runs a scenario and takes it back."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .scenario import Scenario

__all__ = ["widget"]

# The page takes {tokenyard: 'load', link} and answers {tokenyard: 'state', …}: docs/reference/links.md. Answers count from the
# frame's own window alone.
_ESM = """
export default {
  render({ model, el }) {
    const frame = document.createElement('iframe');
    const home = () => model.get('site') + '#embed=' + model.get('charts').join(',') + ';' + model.get('link').slice(1);
    frame.src = home();
    frame.title = 'Tokenyard';
    frame.style = 'border: 0; width: 100%; height: ' + model.get('height') + 'px';
    const site = new URL(model.get('site'), document.baseURI).origin;
    // The page says its state to those that asked for it, once it has started.
    const asking = setInterval(() => frame.contentWindow?.postMessage({ tokenyard: 'state' }, site), 500);
    const heard = (event) => {
      if (event.source !== frame.contentWindow || event.data?.tokenyard !== 'state') return;
      clearInterval(asking);
      model.set('state', event.data);
      model.save_changes();
    };
    const load = () => frame.contentWindow?.postMessage({ tokenyard: 'load', link: model.get('link') }, site);
    window.addEventListener('message', heard);
    model.on('change:link', load);
    el.appendChild(frame);
    return () => {
      clearInterval(asking);
      window.removeEventListener('message', heard);
      model.off('change:link', load);
    };
  },
};
"""


def widget(
    scenario: Scenario,
    *,
    site: str | None = None,
    charts: tuple[str, ...] = ("ttft-over-time",),
    height: int = 480,
) -> Any:
    """The page with a scenario, for notebooks: Jupyter, Colab, VS Code, marimo. Needs the package ``anywidget``.

    ``site`` is the address of the page, by default ``TOKENYARD_SITE`` of the environment, or the one of ``scripts/serve`` on this
    machine. Setting ``link`` of the result opens another scenario; ``state`` has what the page last said: instant, link.
    """
    try:
        import anywidget
        import traitlets
    except ImportError as missing:
        raise ImportError("ty.widget needs anywidget: pip install 'tokenyard[widget]'") from missing

    class Page(anywidget.AnyWidget):
        """The frame."""

        _esm = _ESM
        site = traitlets.Unicode().tag(sync=True)
        link = traitlets.Unicode().tag(sync=True)
        charts = traitlets.List(traitlets.Unicode()).tag(sync=True)
        height = traitlets.Int().tag(sync=True)
        state = traitlets.Dict().tag(sync=True)

    address = site or os.environ.get("TOKENYARD_SITE") or "http://localhost:4173/"
    return Page(site=address, link=scenario.to_link(), charts=list(charts), height=height)
