"""Opens a paper's page in Chromium at three widths and tries every control as a reader would.

usage: page_drive.py BROWSER PAGE CHECK TABLE.csv... [--shots FOLDER]    (without a TABLE: only opens the page)

CHECK is page_check.js; each TABLE is `warpsweep table FILE -f csv` of a file of the paper. The browser is driven through its
DevTools protocol over a pipe. Prints what is wrong, and exits with 1; else prints one line.
"""
import base64
import csv
import json
import os
import pathlib
import re
import select
import subprocess
import sys
import tempfile
import time

WIDTHS = 390, 900, 1600
SECONDS = 120  # limit for one answer of the browser


class Browser:
    def __init__(self, program, home):
        to_it, our_end = os.pipe()
        self.from_it, its_end = os.pipe()
        flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                 f"--user-data-dir={home}/profile", "--remote-debugging-pipe", "about:blank"]
        self.process = subprocess.Popen(["bash", "-c", f'exec "$@" 3<&{to_it} 4>&{its_end}', "browser", program, *flags],
                                        pass_fds=(to_it, its_end), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                        env={**os.environ, "HOME": home})
        os.close(to_it)
        os.close(its_end)
        self.to_it, self.rest, self.last, self.events, self.session = our_end, b"", 0, [], None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in "Page", "Runtime", "Log":
            self.call(domain + ".enable")

    def close(self):
        os.close(self.to_it)
        self.process.terminate()
        self.process.wait()

    def receive(self, end):
        while b"\0" not in self.rest:
            ready, _, _ = select.select([self.from_it], [], [], max(0, end - time.monotonic()))
            more = os.read(self.from_it, 1 << 20) if ready else b""
            if not more:
                raise SystemExit("the browser does not answer")
            self.rest += more
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **params):
        self.last += 1
        request = {"id": self.last, "method": method, "params": params}
        if self.session and not method.startswith(("Target.", "Browser.")):
            request["sessionId"] = self.session
        os.write(self.to_it, json.dumps(request).encode() + b"\0")
        end = time.monotonic() + SECONDS
        while True:
            message = self.receive(end)
            if message.get("id") == self.last:
                if "error" in message:
                    raise SystemExit(f"{method}: {message['error']}")
                return message["result"]
            self.events.append(message)

    def evaluate(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise SystemExit(f"{expression[:80]}: {result['exceptionDetails']}"[:600])
        return result["result"].get("value")

    def complaints(self):
        """Errors and warnings of the page: exceptions, console.error, blocked by the policy, not found."""
        found = []
        for event in self.events:
            params = event.get("params", {})
            if event.get("method") == "Runtime.exceptionThrown":
                found.append(str(params["exceptionDetails"]))
            elif event.get("method") == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
                found.append(str(params["args"]))
            elif event.get("method") == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
                found.append(params["entry"]["text"])
        return found

    def open(self, address, width):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 600)
        self.call("Page.navigate", url="about:blank")  # else a new fragment would not load the page anew
        self.call("Page.navigate", url=address)
        end = time.monotonic() + SECONDS
        while self.evaluate("[location.protocol, document.readyState].join()") != "file:,complete":
            if time.monotonic() > end:
                raise SystemExit(f"{address} does not load")
            time.sleep(0.05)

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, selector):
        """A real click at the middle of an element, which must be there and uncovered."""
        x, y, hit = self.evaluate(f"""(() => {{ const e = document.querySelector({selector!r}); e.scrollIntoView({{block: 'center'}});
            const b = e.getBoundingClientRect(), x = b.x + b.width / 2, y = b.y + b.height / 2, at = document.elementFromPoint(x, y);
            return [x, y, !!at && (e.contains(at) || at.contains(e))]; }})()""")
        self.mouse("mousePressed", x, y, button="left", clickCount=1)
        self.mouse("mouseReleased", x, y, button="left", clickCount=1)
        return hit

    def type_filter(self, text):
        self.evaluate("document.getElementById('filter').focus(); document.getElementById('filter').select()")
        if text:
            self.call("Input.insertText", text=text)
        else:
            for kind in "keyDown", "keyUp":
                self.call("Input.dispatchKeyEvent", type=kind, key="Delete", code="Delete", windowsVirtualKeyCode=46)

    def shown(self):
        return set(self.evaluate("[...document.querySelectorAll('#t-points tbody tr')].filter(r => r.getClientRects().length)"
                                 ".map(r => r.lastElementChild.textContent)"))

    def shoot(self, folder, name):
        if folder:
            picture = self.call("Page.captureScreenshot", format="png")["data"]
            pathlib.Path(folder, name + ".png").write_bytes(base64.b64decode(picture))


wrong = []


def expect(right, what):
    if not right:
        wrong.append(what)


def check_filters(browser, points):
    """What each filter shows against the same selection from `warpsweep table`."""
    def ids(condition):
        return {row["id"] for row in points if row["status"] == "ok" and condition(row)}

    def number(row, name):
        return float(row[name]) if row[name] not in ("", "nan") else float("nan")

    everything = browser.shown()
    cases = {
        "stride=137": ids(lambda r: r["stride"] == "137"),
        "bandwidth>2000": ids(lambda r: number(r, "bandwidth") > 2000e9),
        "bandwidth>2TB/s family=copy stride=1": ids(lambda r: number(r, "bandwidth") > 2e12 and r["kernel"] == "copy"
                                                    and r["stride"] == "1"),
        "kernel=copy variant!=load size>=64MiB": ids(lambda r: r["kernel"] == "copy" and r["variant"] != "load"
                                                     and number(r, "size") >= 2**26),
        "stride=2..8 dtype=f32,f64 time<100": ids(lambda r: r["stride"] and 2 <= number(r, "stride") <= 8
                                                  and r["dtype"] in ("f32", "f64") and number(r, "time_median") < 100e-6),
        "share>=90": ids(lambda r: number(r, "fraction_peak") >= 0.9),
        "kernel=copy -stride=1": ids(lambda r: r["kernel"] == "copy" and r["stride"] != "1"),
    }
    for text, expected in cases.items():
        browser.type_filter(text)
        expect(browser.shown() == expected, f"filter {text!r}: {len(browser.shown())} points, not {len(expected)}")
        said = browser.evaluate("document.getElementById('shown').textContent")
        expect(said == f"{len(expected)} of {len(everything)} points", f"filter {text!r} says {said!r}")
        expect(0 < len(expected) < len(everything), f"filter {text!r} decides nothing: {len(expected)} points")
        expect(browser.evaluate("decodeURIComponent(location.hash)") == "#filter=" + text,
               f"filter {text!r}: the address is {browser.evaluate('location.hash')}")
    browser.type_filter("copy -load")
    some = browser.evaluate("[...document.querySelectorAll('#t-points tbody tr')].filter(r => !r.hidden).map(r => r.textContent)")
    expect(some and all("copy" in row and "load" not in row for row in some), f"'copy -load' shows {some[:2]}")
    for bad, message in (("tsride=1", "no column tsride"), ("stride<many", "not a number"), ("stride=", "needs a value")):
        browser.type_filter(bad)
        said = browser.evaluate("document.getElementById('shown').textContent")
        expect(message in said, f"filter {bad!r} says {said!r}")
        expect(browser.evaluate("document.getElementById('filter').matches('[aria-invalid]')"), f"filter {bad!r} is not marked")
    browser.type_filter("")
    expect(browser.shown() == everything, "an empty filter does not show all points")
    expect(browser.evaluate("location.hash") == "#points", "an empty filter stays in the address")


def check_download(browser, points, folder):
    browser.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(folder))
    text = "kernel=copy stride=2"
    browser.type_filter(text)
    shown = browser.shown()
    expect(browser.click("#download"), "the download button is covered")
    file, end = folder / "points.csv", time.monotonic() + 30
    while not file.exists() and time.monotonic() < end:
        time.sleep(0.1)
    if not file.exists():
        expect(False, "no file is downloaded")
        return
    text = file.open(newline="")
    mark = browser.evaluate("document.getElementById('points-csv').dataset.mark || ''")
    if mark:
        first = text.readline()
        expect(first == f"# {mark}\n", f"the download begins with {first!r}, not with the mark of the page")
    rows = list(csv.DictReader(text))
    expect({row["id"] for row in rows} == shown, f"the download has {len(rows)} rows of other points than are shown")
    raw = {(row["id"], row["time_median"], row["bandwidth"], row["dtype"]) for row in points}
    expect(rows and all((r["id"], r["time_median"], r["bandwidth"], r["dtype"]) in raw for r in rows),
           f"the download has other numbers than `warpsweep table`: {rows[:1]}")


def check_address(browser, address):
    browser.open(address + "#filter=stride%3D137%20-f16", 900)
    expect(browser.evaluate("document.getElementById('filter').value") == "stride=137 -f16", "the address sets no filter")
    expect(len(browser.shown()) > 0 and browser.evaluate("document.getElementById('points').matches('.filtered')"),
           "a filter of the address does not act")
    expect(abs(browser.evaluate("document.getElementById('points').getBoundingClientRect().top")) < 200,
           "a filter of the address does not lead to the table")
    browser.evaluate("location.hash = '#filter=stride%3D2'")
    browser.evaluate("new Promise(r => setTimeout(r, 50))")
    expect(browser.evaluate("document.getElementById('filter').value") == "stride=2", "a changed address does not act")
    browser.open(address + "#filter=%zz", 900)
    expect(browser.evaluate("document.getElementById('filter').value") == "", "a broken address is a filter")


def check_navigation(browser, width):
    cut = browser.evaluate("""(() => { const nav = document.querySelector('nav'), list = nav.querySelector('details');
        list.open = true;
        const box = list.querySelector('div').getBoundingClientRect();
        const out = [...nav.querySelectorAll('a, summary')].filter(a => { const b = a.getBoundingClientRect();
            return b.width < 5 || b.left < 0 || b.right > innerWidth + 0.5; }).map(a => a.textContent);
        if (box.left < 0 || box.right > innerWidth) out.push('the list of families');
        list.open = false; return out; })()""")
    expect(not cut, f"{width} wide: the navigation is cut: {cut[:4]}")
    expect(browser.click("nav summary"), f"{width} wide: the list of families is covered")
    expect(browser.evaluate("document.querySelector('nav details').open"), f"{width} wide: the list of families does not open")
    name = browser.evaluate("document.querySelectorAll('nav details a')[1].getAttribute('href')")
    browser.click(f"nav details a[href='{name}']")
    browser.evaluate("new Promise(r => setTimeout(r, 50))")
    expect(not browser.evaluate("document.querySelector('nav details').open"), f"{width} wide: the list stays open")
    top, below = browser.evaluate(f"[document.querySelector({name!r}).getBoundingClientRect().top,"
                                  " document.querySelector('nav').getBoundingClientRect().bottom]")
    expect(below - 1 <= top < below + 120, f"{width} wide: {name} is at {top}, the navigation ends at {below}")


def check_values(browser, page, shots, width):
    """Under the mouse, and at a touch, a mark says what its figure's file says."""
    figure = "copy_stride"
    drawing = (page.parent / f"figures/{figure}.svg").read_text()
    titles = re.findall(r"<circle [^>]*><title>([^<]*)", drawing)
    said = [title.replace("&#10;", "\n") for title in titles]
    marks = [(float(x), float(y)) for x, y in re.findall(r"<use [^>]*translate\(([0-9.]+),([0-9.]+)\)", drawing)]
    for x, y in re.findall(r'<circle cx="([0-9.]+)" cy="([0-9.]+)" r="4">', drawing):
        nearest = min(abs(float(x) - a) + abs(float(y) - b) for a, b in marks)
        expect(nearest < 1, f"{figure}: a value at {x}, {y} is {nearest:.1f} pixels from the nearest mark")
    x, y, count = browser.evaluate(f"""(() => {{ const plot = document.querySelector('#{figure} .plot');
        plot.scrollIntoView({{block: 'center'}}); const marks = plot.querySelectorAll('.values > *');
        const b = marks[0].getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2, marks.length]; }})()""")
    expect(count == len(titles) > 20, f"{figure} has {count} values on the page and {len(titles)} in its file")
    browser.mouse("mouseMoved", x + 1, y + 1)
    tip = browser.evaluate("document.getElementById('tip').hidden ? null : document.getElementById('tip').textContent")
    expect(tip in said and "Bandwidth:" in tip and "Distance of neighbouring accesses:" in tip, f"{width} wide: a mark says {tip!r}")
    box = browser.evaluate("(b => [b.left, b.right, b.bottom])(document.getElementById('tip').getBoundingClientRect())")
    expect(box[0] >= 0 and box[1] <= width and box[2] <= 900, f"{width} wide: the text of a mark is outside: {box}")
    browser.shoot(shots, f"{width}-values")
    browser.mouse("mouseMoved", 2, 2)
    expect(browser.evaluate("document.getElementById('tip').hidden"), f"{width} wide: the text of a mark stays")


def check_print(browser, folder):
    def pages(name):
        pdf = base64.b64decode(browser.call("Page.printToPDF", paperWidth=8.27, paperHeight=11.69)["data"])
        (folder / name).write_bytes(pdf)
        return len(re.findall(rb"/Type\s*/Page\b", pdf))

    def is_printed(selector):
        return browser.evaluate(f"document.querySelector({selector!r}).getClientRects().length > 0")

    browser.type_filter("")
    count = pages("page.pdf")
    expect(5 < count < 60, f"the page prints on {count} sheets")
    browser.type_filter("kernel=copy stride=2")
    pages("filtered.pdf")
    browser.call("Emulation.setEmulatedMedia", media="print")
    expect(is_printed("#t-points"), "filtered points are not printed")
    wide = browser.evaluate("[...document.querySelectorAll('.scroll')].map(e => getComputedStyle(e).overflowX)")
    expect(set(wide) == {"visible"}, f"tables are cut in print: {wide}")
    browser.call("Emulation.setEmulatedMedia", media="")  # the filter is not there in print
    browser.type_filter("")
    browser.call("Emulation.setEmulatedMedia", media="print")
    expect(not is_printed("#t-points"), "all points are printed")
    for selector in "nav", "#controls", ".files":
        expect(not is_printed(selector), f"{selector} is printed")
    browser.call("Emulation.setEmulatedMedia", media="")


def main():
    arguments = sys.argv[1:]
    shots = arguments[arguments.index("--shots") + 1] if "--shots" in arguments else None
    program, page, check, *tables = arguments[:arguments.index("--shots")] if shots else arguments
    page = pathlib.Path(page).resolve()
    points = [row for table in tables for row in csv.DictReader(open(table, newline=""))]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        browser = Browser(program, home)
        try:
            for width in WIDTHS:
                browser.open(page.as_uri(), width)
                said = browser.evaluate(pathlib.Path(check).read_text())
                expect(said.endswith("all right"), f"{width} wide: {said}")
                browser.shoot(shots, f"{width}-top")
                if not tables:
                    break
                check_navigation(browser, width)
                check_values(browser, page, shots, width)
                for part in "devices", "families", "points", "method":
                    browser.evaluate(f"document.getElementById({part!r}).scrollIntoView()")
                    browser.shoot(shots, f"{width}-{part}")
            else:
                check_filters(browser, points)
                check_download(browser, points, pathlib.Path(home))
                check_print(browser, pathlib.Path(shots or home))
                check_address(browser, page.as_uri())
            wrong.extend("the console: " + text for text in browser.complaints())
        finally:
            browser.close()
    print("; ".join(wrong) if wrong else said)
    sys.exit(bool(wrong))


main()
