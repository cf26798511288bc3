"""The settings and the page that is made of them."""

from pathlib import Path

import pytest

from lira_core.settings import Settings, SettingsError, as_markdown, load_settings

PAGE = Path(__file__).resolve().parents[2] / "docs" / "settings.md"


def test_the_page_of_settings_is_what_the_code_says() -> None:
    assert PAGE.read_text("utf-8") == as_markdown(), "run: .venv/bin/python -m lira_core.settings > docs/settings.md"


def test_every_setting_is_described() -> None:
    assert [name for name, field in Settings.model_fields.items() if not field.description] == []


def test_an_unknown_name_stops_the_start_and_names_the_nearest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIRA_EMOTON_GATE", "0.5")
    with pytest.raises(SettingsError, match="LIRA_EMOTON_GATE is not a setting of LIRA; did you mean LIRA_EMOTION_GATE"):
        load_settings()


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("LIRA_PORT", "99999", "LIRA_PORT"),
        ("LIRA_TIMEZONE", "Seoul", "IANA time zone"),
        ("LIRA_EMOTION_GATE", "2", "LIRA_EMOTION_GATE"),
        ("LIRA_REQUEST_DEADLINE_MS", "500", "LIRA_REQUEST_DEADLINE_MS=500 leaves no time"),
    ],
)
def test_an_impossible_value_is_named(monkeypatch: pytest.MonkeyPatch, name: str, value: str, says: str) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(SettingsError, match=says):
        load_settings()


def test_beyond_loopback_needs_a_yes_while_nobody_has_to_prove_who_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIRA_HOST", "0.0.0.0")
    with pytest.raises(SettingsError, match="LIRA_ALLOW_UNAUTHENTICATED=true"):
        load_settings()
    monkeypatch.setenv("LIRA_ALLOW_UNAUTHENTICATED", "true")
    assert load_settings().host == "0.0.0.0"


def test_the_three_roles_share_one_file_by_default(tmp_path: Path) -> None:
    settings = load_settings(data_dir=tmp_path)
    assert {settings.store_url("short_term"), settings.store_url("record"), settings.store_url("vectors")} == {f"sqlite:///{tmp_path / 'lira.db'}"}


def test_a_role_can_be_put_elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LIRA_SHORT_TERM_URL", f"sqlite:///{tmp_path}/short.db")
    assert load_settings().store_url("short_term").endswith("/short.db")
