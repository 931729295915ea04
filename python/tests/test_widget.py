"""The widget."""

import sys

import pytest

import tokenyard as ty


def test_the_widget_has_the_link_and_speaks_as_the_page_does() -> None:
    pytest.importorskip("anywidget", reason="anywidget is not installed")
    s = ty.Scenario.preset("kv-pressure")
    page = ty.widget(s, site="https://example.org/yard/", charts=("kv-use",), height=300)
    assert (page.site, page.link, page.charts, page.height) == ("https://example.org/yard/", s.to_link(), ["kv-use"], 300)
    for said in ("tokenyard: 'load'", "event.source !== frame.contentWindow", "#embed="):
        assert said in str(page._esm)
    assert "<script" not in str(page._esm)


def test_without_anywidget_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "anywidget", None)
    with pytest.raises(ImportError, match=r"tokenyard\[widget\]"):
        ty.widget(ty.Scenario.preset("kv-pressure"))
