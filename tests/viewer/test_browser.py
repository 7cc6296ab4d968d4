"""A page in headless Chromium: links, keys, filters, no error, no violation of its policy, no
serious finding of axe. Skipped, with the reason, where Chromium, its driver or axe is not found.

axe-core is looked for in ``node_modules``, or is the file that AXE_CORE names.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ptxlint.results.report import Report
from ptxlint.source import Source
from ptxlint.source_files import SourceFiles
from ptxlint.viewer.page import CheckedModule, render

webdriver = pytest.importorskip("selenium.webdriver")
pytest.importorskip("selenium.webdriver.support.wait")

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
AXE = Path(os.environ.get("AXE_CORE", ROOT / "node_modules" / "axe-core" / "axe.min.js"))
KERNELS = ("flawed/reduce_missing_barrier", "flawed/transpose_naive", "clean/transpose_tile_33")
FRAMES = 120
FRAME = 33  # milliseconds of the main thread for each while a text scrolls


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    binary, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if binary is None or driver is None:
        pytest.skip("no chromium, or no chromedriver, on the path")
    options = webdriver.ChromeOptions()
    options.binary_location = binary
    for word in ("--headless=new", "--no-sandbox", "--window-size=1500,1000"):
        options.add_argument(word)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    service = webdriver.ChromeService(executable_path=driver)
    found = webdriver.Chrome(options=options, service=service)
    appear(found, "light")
    yield found
    found.quit()


def appear(browser: Any, scheme: str) -> None:
    """A colour scheme, and no motion: what is scrolled to is there at once."""
    wanted = {"prefers-color-scheme": scheme, "prefers-reduced-motion": "reduce"}
    features = [{"name": name, "value": value} for name, value in wanted.items()]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})


@pytest.fixture
def page(browser: Any, transpose: Path) -> Iterator[Any]:
    """The browser with the page of the demonstration; at the end nothing was complained of."""
    browser.get("about:blank")
    browser.get(transpose.as_uri())
    yield browser
    assert browser.get_log("browser") == []


def js(browser: Any, text: str, *arguments: object) -> Any:
    return browser.execute_script(text, *arguments)


def press(browser: Any, *keys: str) -> None:
    for key in keys:
        webdriver.ActionChains(browser).send_keys(key).perform()


def now(browser: Any) -> str:
    """The rule of the card that is looked at."""
    return str(js(browser, "return document.querySelector('.card.now')?.dataset.rule || ''"))


def cursor(browser: Any) -> str:
    return str(js(browser, "return document.querySelector('li.cursor')?.id || ''"))


def marked(browser: Any) -> set[str]:
    return set(js(browser, "return [...document.querySelectorAll('li.on')].map(row => row.id)"))


def click(browser: Any, selector: str) -> None:
    js(browser, "document.querySelector(arguments[0]).click()", selector)


def test_n_and_p_go_from_card_to_card_and_the_texts_follow(page: Any) -> None:
    press(page, "n")
    assert (now(page), cursor(page)) == ("out-of-bounds", "p57")
    press(page, "n")
    assert (now(page), cursor(page)) == ("shared-bank-conflict", "p85")
    press(page, "p")
    assert now(page) == "out-of-bounds"


def test_j_and_k_go_from_line_to_line_and_enter_to_the_source(page: Any) -> None:
    click(page, "#p84")
    press(page, "j")
    assert cursor(page) == "p85"
    assert marked(page) == {"p85", "s1-16"}
    press(page, "k", "k")
    assert cursor(page) == "p83"
    press(page, "\ue007")
    assert cursor(page) == "s1-16"


def test_a_line_of_the_source_marks_all_its_instructions(page: Any) -> None:
    click(page, "#s1-16")
    assert {"p80", "p85", "p92", "s1-16"} <= marked(page)
    assert "p57" not in marked(page)


def test_a_filter_hides_cards_and_has_an_address(page: Any, transpose: Path) -> None:
    select = "const s = document.querySelector('[name=rule]'); s.value = arguments[0];"
    js(page, select + "s.dispatchEvent(new Event('input', {bubbles: true}))", "out-of-bounds")
    assert js(page, "return document.querySelector('.filters output').textContent") == "1 of 4"
    assert page.current_url.endswith("#!rule=out-of-bounds")
    page.get("about:blank")
    page.get(transpose.as_uri() + "#!rule=out-of-bounds")
    assert js(page, "return document.querySelector('.filters output').textContent") == "1 of 4"
    press(page, "\ue00c")
    assert js(page, "return document.querySelector('.filters output').textContent") == "4 of 4"


def test_slash_searches(page: Any) -> None:
    press(page, "/", *"bank")
    assert js(page, "return document.querySelector('.filters output').textContent") == "1 of 4"


def test_a_card_has_an_address_and_a_number_leads_to_its_card(page: Any, transpose: Path) -> None:
    click(page, "#p85 a[class]")
    assert now(page) == "shared-bank-conflict"
    card = page.current_url.partition("#")[2]
    page.get("about:blank")
    page.get(f"{transpose.as_uri()}#{card}")
    assert now(page) == "shared-bank-conflict"


def test_the_costliest_access_of_the_first_screen_leads_to_its_card_and_fix(page: Any) -> None:
    js(page, "[...document.querySelectorAll('.summary a')].find("
             "one => one.textContent === 'transpose.cu:16').click()")  # fmt: skip
    wait = webdriver.support.wait.WebDriverWait(page, 5)
    wait.until(lambda _: now(page) == "shared-bank-conflict")
    box = "const b = document.querySelector('.card.now .fix').getBoundingClientRect();"
    wait.until(lambda _: js(page, box + "return b.top > 0 && b.bottom < innerHeight"))


def test_a_register_shows_what_is_known_under_the_pointer_and_on_a_selected_line(
    page: Any,
) -> None:
    facts = "return document.querySelector('.facts').innerText"
    element = js(page, "return document.querySelector('#p85 var:last-of-type')")
    js(page, "arguments[0].scrollIntoView({block: 'center'})", element)
    webdriver.ActionChains(page).move_to_element(element).perform()
    assert "tile + 128*tid.x + 4*tid.y" in js(page, facts)
    click(page, "#p54")
    assert "32*ctaid.x + 3200*ctaid.y + tid.x + 100*tid.y" in js(page, facts)


def test_without_scripts_everything_is_there(browser: Any, transpose: Path) -> None:
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        browser.get("about:blank")
        browser.get(transpose.as_uri())
        source = browser.page_source
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    assert source.count('<details class="card') == 4
    assert (
        js(browser, "return getComputedStyle(document.querySelector('.filters')).display") == "none"
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("kernel", KERNELS)
def test_axe_has_no_serious_finding(
    kernel: str, scheme: str, browser: Any, corpus: Callable[[str], Path]
) -> None:
    if not AXE.is_file():
        pytest.skip(f"no axe-core: {AXE} is no file; npm install axe-core")
    appear(browser, scheme)
    browser.get("about:blank")
    browser.get(corpus(kernel).as_uri())
    js(browser, "document.querySelectorAll('details').forEach(one => { one.open = true })")
    js(browser, AXE.read_text("utf-8"))
    run = "axe.run().then(arguments[0])"
    found = browser.execute_async_script(run)
    assert found["passes"]
    serious = {
        one["id"]: [node["target"] for node in one["nodes"]][:3]
        for one in found["violations"]
        if one["impact"] in ("serious", "critical")
    }
    assert serious == {}


def test_five_thousand_lines_scroll(browser: Any, tmp_path: Path) -> None:
    """By the processor time of the main thread, which does not depend on what else runs."""
    line = "    mad.lo.s32 %r3, %r1, %r2, 77;\n"
    source = Source("k.ptx", line * 5_000)
    text = render(CheckedModule(source, Report(), (), SourceFiles([source])))
    (tmp_path / "k.html").write_text(text, "utf-8")
    browser.get((tmp_path / "k.html").as_uri())
    browser.execute_async_script("setTimeout(arguments[0], 1000)")  # the page is laid out
    browser.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})
    before = thread_seconds(browser)
    browser.execute_async_script(SCROLL, FRAMES)
    assert (thread_seconds(browser) - before) * 1000 / FRAMES < FRAME


SCROLL = """
    const [frames, done] = arguments, text = document.querySelector('.ptx');
    let left = frames;
    const step = () => {
      text.scrollTop += 700;
      if (--left) requestAnimationFrame(step); else done();
    };
    requestAnimationFrame(step);
"""


def thread_seconds(browser: Any) -> float:
    found = browser.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
    return float(next(one["value"] for one in found if one["name"] == "ThreadTime"))
