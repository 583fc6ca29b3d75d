"""What the server sends and takes in, in a real browser: no page needs what the security policy forbids."""

from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Browser, FilePayload, Page, Request, expect

from explainer.files import UPLOAD_LIMIT_MB
from tests.browser.conftest import SIZE, settle, visit, wait_until

REPORTS = """window.reports = [];
document.addEventListener("securitypolicyviolation",
  (event) => window.reports.push(`${event.violatedDirective}: ${event.blockedURI} on ${location.pathname}`));"""
LARGE = 300_000  # bytes; all other files that tests upload are smaller together
SEND = """async ([address, file, bytes]) => {
  const body = new FormData();
  body.append(file, new Blob([new Uint8Array(bytes)]), file);
  const token = document.cookie.match(/_streamlit_xsrf=([^;]+)/)[1];
  const url = address.replace(/[^/]+$/, file);
  return (await fetch(url, {method: "PUT", body, headers: {"X-Xsrftoken": token}})).status;
}"""


def test_a_download_keeps_the_policy_and_a_script_from_nowhere_does_not_run(
    browser: Browser, server: str
) -> None:
    page = browser.new_page(viewport=SIZE)  # the policy on all pages: see the fixture `page`
    page.add_init_script(REPORTS)
    visit(page, server)
    with page.expect_download() as download:
        page.locator(".panel .tools button").first.click(force=True)
    assert Path(download.value.path()).read_bytes().startswith(b"\x89PNG")
    assert page.evaluate("reports") == []
    ran = page.evaluate("""() => {
      const script = document.createElement("script");
      script.textContent = "window.ran = true";
      document.head.appendChild(script);
      return window.ran ?? false;
    }""")
    assert ran is False
    assert page.evaluate("reports") == ["script-src-elem: inline on /"]
    page.close()


def kept(page: Page, server: str) -> int:
    """The bytes of all uploaded files that are in memory; Streamlit counts them every five seconds."""
    page.wait_for_timeout(5_100)
    text = page.request.get(f"{server}/_stcore/metrics").text()
    return sum(int(line.split()[-1]) for line in text.splitlines() if "UploadedFileManager" in line)


def upload(page: Page, name: str) -> Request:
    """Choose a file in the widget; the PUT that the browser sent."""
    file: FilePayload = {"name": name, "mimeType": "text/plain", "buffer": f"no pair in {name}\n".encode()}
    with page.expect_request(lambda sent: sent.method == "PUT") as sent:
        page.locator("input[type=file]").set_input_files([file])
    answer = sent.value.response()
    assert answer is not None
    assert answer.status == 204
    expect(page.get_by_text("This file cannot be learnt from")).to_be_visible()
    settle(page)
    return sent.value


def test_only_a_page_that_asks_for_a_file_gets_one_and_none_without_end(page: Page, server: str) -> None:
    visit(page, f"{server}/train")
    page.get_by_text("your own pairs", exact=True).click()
    upload(page, "a.tsv")
    upload(page, "b.tsv")
    sent = upload(page, "c.tsv")  # one after the other: a file that was read is in nobody's way
    url, known = urlsplit(sent.url), sent.all_headers()
    headers = {name: known[name] for name in ("cookie", "x-xsrftoken")}
    headers["Content-Type"] = "multipart/form-data; boundary=x"
    head = b'--x\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n'
    megabytes = [bytes(2**20)] * (UPLOAD_LIMIT_MB + 1)  # Streamlit allows one for what stands around the file
    connection = HTTPConnection(url.netloc, timeout=60)
    body = iter([head, *megabytes, b"\r\n--x--\r\n"])
    connection.request("PUT", f"{url.path}-2", body, headers, encode_chunked=True)
    assert connection.getresponse().status == 413  # it did not tell its size, and was cut off at the limit
    connection.close()
    for name in ("one", "two", "three", "four"):  # whoever goes around the widget fills no memory
        assert page.evaluate(SEND, [sent.url, name, LARGE]) == 204

    page.get_by_test_id("stTopNavLink").first.click()
    wait_until(page, "() => new URL(location.href).pathname === '/'")
    settle(page)
    assert page.evaluate(SEND, [sent.url, "five", LARGE]) == 403  # Translate asks for none
    assert 2 * LARGE <= kept(page, server) < 3 * LARGE
