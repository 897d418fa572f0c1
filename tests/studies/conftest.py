"""One browser for all pages: Playwright runs once in a process."""

import os
import shutil
from pathlib import Path

import pytest

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")


@pytest.fixture(scope="session")
def chromium():
    playwright = pytest.importorskip("playwright.sync_api", reason="pip install 'sttest[dev]' brings playwright")
    with playwright.sync_playwright() as tools:
        own = Path(tools.chromium.executable_path)
        found = own if own.exists() else next(filter(None, map(shutil.which, BROWSERS)), None)
        if found is None:
            pytest.skip("no Chromium found: apt-get install chromium, or playwright install chromium")
        # Chromium's sandbox does not work for root, as in containers.
        flags = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = tools.chromium.launch(executable_path=str(found), args=flags)
        yield browser
        browser.close()
