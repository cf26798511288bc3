"""The settings and the page that is made of them."""

from pathlib import Path

import pytest

from lira_core.settings import Settings, SettingsError, as_markdown, load_settings

PAGE = Path(__file__).resolve().parents[2] / "docs" / "settings.md"


def test_the_page_of_settings_is_what_the_code_says() -> None:
    assert PAGE.read_text("utf-8") == as_markdown(), "run: .venv/bin/python -m lira_core.settings > docs/settings.md"


def test_every_setting_is_described() -> None:
    assert [name for name, field in Settings.model_fields.items() if not field.description] == []


def test_the_page_names_no_folder_of_this_machine() -> None:
    assert str(Path(__file__).resolve().parents[2]) not in as_markdown()


def test_an_unknown_name_stops_the_start_and_names_the_nearest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIRA_EMOTON_GATE", "0.5")
    with pytest.raises(SettingsError, match="LIRA_EMOTON_GATE is not a setting of LIRA; did you mean LIRA_EMOTION_GATE"):
        load_settings()


def test_an_unknown_name_that_is_near_to_none_is_told_where_the_names_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIRA_XYZZY", "1")
    with pytest.raises(SettingsError, match=r"LIRA_XYZZY is not a setting of LIRA; docs/settings\.md lists them"):
        load_settings()


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("LIRA_PORT", "99999", "LIRA_PORT"),
        ("LIRA_TIMEZONE", "Seoul", "IANA time zone"),
        ("LIRA_EMOTION_GATE", "2", "LIRA_EMOTION_GATE"),
        ("LIRA_REQUEST_DEADLINE_MS", "500", "LIRA_STORE_DEADLINE_MS=2000 is no less than a whole request may take"),
        ("LIRA_STORE_DEADLINE_MS", "20000", r"LIRA_REQUEST_DEADLINE_MS=20000\): lower it"),
        ("LIRA_CLOCK_SKEW_MS", "-1", "LIRA_CLOCK_SKEW_MS"),
        ("LIRA_WORDS", "both", "LIRA_WORDS"),
        ("LIRA_GENERATOR", "gpt", "LIRA_GENERATOR"),
        ("LIRA_GENERATOR_OPTIONS", "{temperature: 1}", "LIRA_GENERATOR_OPTIONS: is no JSON object"),
        ("LIRA_GENERATOR_OPTIONS", "[1]", "LIRA_GENERATOR_OPTIONS: is no JSON object"),
        ("LIRA_GENERATOR_OPTIONS", '{"model": "a", "stream": false}', "model and stream cannot be given here"),
        ("LIRA_GENERATOR_TEMPERATURE", "3", "LIRA_GENERATOR_TEMPERATURE"),
        ("LIRA_GENERATOR_MAX_TOKENS", "0", "LIRA_GENERATOR_MAX_TOKENS"),
    ],
)
def test_an_impossible_value_is_named(monkeypatch: pytest.MonkeyPatch, name: str, value: str, says: str) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(SettingsError, match=says):
        load_settings()


API = {"generator": "openai", "generator_url": "https://api.upstage.ai/v1", "generator_model": "solar-pro4"}
KEY = "sk-lira-0123456789"


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"generator_url": None}, "LIRA_GENERATOR=openai needs LIRA_GENERATOR_URL"),
        ({"generator_model": None}, "LIRA_GENERATOR=openai needs LIRA_GENERATOR_MODEL, a name that https://api.upstage.ai/v1 lists"),
        ({"generator_url": "api.upstage.ai/v1"}, "LIRA_GENERATOR_URL is no base of an API"),
        ({"generator_url": "ftp://api.upstage.ai/v1"}, "LIRA_GENERATOR_URL is no base of an API"),
        ({"generator_url": "https:///v1"}, "LIRA_GENERATOR_URL is no base of an API"),
        ({"generator_url": "https://api.upstage.ai/v1?key=1"}, "LIRA_GENERATOR_URL is no base of an API"),
        ({"generator_url": "http://[::1/v1"}, "LIRA_GENERATOR_URL is no base of an API"),
        ({"generator_url": f"https://lira:{KEY}@api.upstage.ai/v1"}, "LIRA_GENERATOR_API_KEY, which is never shown"),
        ({"generator_api_key": f"{KEY} {KEY}"}, "LIRA_GENERATOR_API_KEY: holds a space"),
        ({"generator_api_key": "열쇠"}, "LIRA_GENERATOR_API_KEY: holds a space or a character"),
    ],
)
def test_an_api_that_cannot_be_asked_stops_the_start_with_a_sentence_that_shows_no_key(changed: dict[str, str], says: str) -> None:
    with pytest.raises(SettingsError, match=says.replace("?", r"\?")) as caught:
        load_settings(**(API | changed))
    assert KEY not in str(caught.value)
    assert "열쇠" not in str(caught.value)


def test_an_api_needs_a_url_and_a_model_and_nothing_else() -> None:
    settings = load_settings(**API)
    assert (settings.generator, settings.generator_api_key) == ("openai", None)


def test_a_key_is_read_without_the_end_of_its_line_and_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIRA_GENERATOR_API_KEY", f" {KEY}\n")
    settings = load_settings(**API)
    assert settings.generator_api_key is not None
    assert settings.generator_api_key.get_secret_value() == KEY
    assert KEY not in repr(settings)
    assert KEY not in str(settings.model_dump())


def test_options_are_read_as_json_with_null_for_what_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIRA_GENERATOR_OPTIONS", '{"temperature": null, "reasoning_effort": "low"}')
    assert load_settings().generator_options == {"temperature": None, "reasoning_effort": "low"}


def test_a_turn_may_be_shorter_than_its_stages_might_take_since_none_outlives_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIRA_REQUEST_DEADLINE_MS", "2500")
    settings = load_settings()
    assert settings.request_deadline_ms == 2_500 < settings.emotion_deadline_ms


def test_beyond_loopback_needs_a_yes_while_nobody_has_to_prove_who_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIRA_HOST", "0.0.0.0")
    with pytest.raises(SettingsError, match="LIRA_ALLOW_UNAUTHENTICATED=true"):
        load_settings()
    monkeypatch.setenv("LIRA_ALLOW_UNAUTHENTICATED", "true")
    assert load_settings().host == "0.0.0.0"


def test_the_three_roles_share_one_file_by_default(tmp_path: Path) -> None:
    assert load_settings(data_dir=tmp_path).store_urls == dict.fromkeys(("short_term", "record", "vectors"), f"sqlite:///{tmp_path / 'lira.db'}")


def test_a_relative_folder_is_the_same_file_from_every_process(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    assert load_settings(data_dir=Path("data")).store_urls["record"] == f"sqlite:///{tmp_path}/data/lira.db"


def test_a_role_can_be_put_elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LIRA_SHORT_TERM_URL", "redis://127.0.0.1:6379/0")
    urls = load_settings(data_dir=tmp_path).store_urls
    assert urls["short_term"] == "redis://127.0.0.1:6379/0"
    assert urls["record"] == urls["vectors"] == f"sqlite:///{tmp_path}/lira.db"


KUBERNETES = {
    "LIRA_SERVICE_HOST": "10.96.0.7",
    "LIRA_SERVICE_PORT": "8000",
    "LIRA_SERVICE_PORT_HTTP": "8000",
    "LIRA_PORT": "tcp://10.96.0.7:8000",
    "LIRA_PORT_8000_TCP": "tcp://10.96.0.7:8000",
    "LIRA_PORT_8000_TCP_PROTO": "tcp",
    "LIRA_PORT_8000_TCP_PORT": "8000",
    "LIRA_PORT_8000_TCP_ADDR": "10.96.0.7",
    "LIRA_REDIS_SERVICE_HOST": "10.96.0.8",
    "LIRA_REDIS_SERVICE_PORT_REDIS": "6379",
    "LIRA_REDIS_PORT": "tcp://10.96.0.8:6379",
    "LIRA_REDIS_PORT_6379_TCP_ADDR": "10.96.0.8",
    "LIRA_DNS_PORT_53_UDP_PROTO": "udp",
}
"""What Kubernetes puts into every container of a namespace with Services `lira`, `lira-redis` and `lira-dns`."""


def test_the_variables_that_kubernetes_makes_of_services_do_not_stop_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in KUBERNETES.items():
        monkeypatch.setenv(name, value)
    settings = load_settings()
    assert (settings.host, settings.port) == ("127.0.0.1", 8000)


def test_beside_them_settings_count_as_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (KUBERNETES | {"LIRA_EMOTION_GATE": "0.7"}).items():
        monkeypatch.setenv(name, value)
    assert load_settings().emotion_gate == 0.7
    assert load_settings(port=9_000).port == 9_000


@pytest.mark.parametrize(
    "name", ["LIRA_EMOTON_GATE", "LIRA_PROT", "LIRA_SERVICE_HSOT", "LIRA_PORT_8000", "LIRA_REDIS_SERVICE", "LIRA_PORT_80_TCP_ADRR"]
)
def test_beside_them_a_misspelt_name_still_stops_the_start(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    for known, value in KUBERNETES.items():
        monkeypatch.setenv(known, value)
    monkeypatch.setenv(name, "0.5")
    with pytest.raises(SettingsError, match=f"{name} is not a setting of LIRA"):
        load_settings()


def test_a_port_that_is_a_mistake_of_ones_own_is_not_taken_for_kubernetes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIRA_PORT", "http://127.0.0.1:8000")
    with pytest.raises(SettingsError, match="LIRA_PORT"):
        load_settings()


def test_an_empty_variable_is_an_unset_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIRA_RECORD_URL", "")
    assert load_settings().record_url is None


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({}, "LIRA_UNDERSTANDER=openai needs LIRA_UNDERSTANDER_URL, or the generator's"),
        ({"understander_url": "http://127.0.0.1:1/v1"}, "LIRA_UNDERSTANDER=openai needs LIRA_UNDERSTANDER_MODEL"),
        ({"understander_url": "127.0.0.1/v1", "understander_model": "m"}, "LIRA_UNDERSTANDER_URL is no base of an API"),
        ({"understander_url": f"http://u:{KEY}@127.0.0.1/v1", "understander_model": "m"}, "LIRA_UNDERSTANDER_API_KEY, which is never shown"),
        ({"generator_url": "127.0.0.1/v1", "generator_model": "m"}, "LIRA_GENERATOR_URL is no base of an API"),
        ({"understander_api_key": "a b"}, "LIRA_UNDERSTANDER_API_KEY: holds a space"),
    ],
)
def test_a_model_for_facts_that_cannot_be_asked_is_named(fields: dict[str, str], says: str) -> None:
    with pytest.raises(SettingsError, match=says) as told:
        load_settings(understander="openai", **fields)
    assert KEY not in str(told.value)


def test_facts_are_asked_of_the_generators_model_where_nothing_else_is_said() -> None:
    assert load_settings(**API, understander="openai").understander == "openai"


@pytest.mark.parametrize("missing", ["generator_url", "generator_model"])
def test_summaries_by_a_model_want_the_generators_address_and_name(missing: str) -> None:
    api = {name: value for name, value in API.items() if name not in {"generator", missing}}
    with pytest.raises(SettingsError, match=f"LIRA_SUMMARISER=openai needs LIRA_{missing.upper()}"):
        load_settings(summariser="openai", **api)


def test_summaries_may_be_written_by_an_api_that_writes_no_answers() -> None:
    assert load_settings(**{name: value for name, value in API.items() if name != "generator"}, summariser="openai").generator == "grounded"
