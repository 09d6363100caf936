"""Chromium without a window, driven by its DevTools protocol over a websocket: pages as people see
them, with their errors and their requests. Nothing but the standard library."""

import base64
import contextlib
import json
import os
import pathlib
import shutil
import socket
import struct
import subprocess
import tempfile
import time

TIMEOUT = 120  # seconds; on a busy machine a browser is slow to begin


class Socket:
    """A websocket, as far as the protocol uses it: text messages, whole or in parts."""

    def __init__(self, host, port, path):
        self.connection = socket.create_connection((host, port), timeout=TIMEOUT)
        key = base64.b64encode(os.urandom(16)).decode()
        self.connection.sendall(
            f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\n"
            f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\n"
            "Sec-WebSocket-Version: 13\r\n\r\n".encode()
        )
        self.room = b""
        while b"\r\n\r\n" not in self.room:
            self._more()
        self.room = self.room.split(b"\r\n\r\n", 1)[1]

    def _more(self):
        data = self.connection.recv(1 << 20)
        if not data:
            raise EOFError("the browser closed the connection")
        self.room += data

    def _take(self, size):
        while len(self.room) < size:
            self._more()
        data, self.room = self.room[:size], self.room[size:]
        return data

    def receive(self):
        message = b""
        while True:
            first, second = self._take(2)
            size = second & 127
            if size >= 126:
                size = int.from_bytes(self._take(2 if size == 126 else 8), "big")
            message += self._take(size)
            if first & 128:
                return json.loads(message)

    def send(self, value):
        data = json.dumps(value).encode()
        mask = os.urandom(4)
        if len(data) < 126:
            size = bytes([128 | len(data)])
        elif len(data) < 1 << 16:
            size = bytes([128 | 126]) + struct.pack(">H", len(data))
        else:
            size = bytes([128 | 127]) + struct.pack(">Q", len(data))
        masked = bytes(byte ^ mask[i % 4] for i, byte in enumerate(data))
        self.connection.sendall(b"\x81" + size + mask + masked)


class Page:
    """One page: what it shows, what it complained of, what it asked for."""

    def __init__(self, browser, session):
        self.browser = browser
        self.session = session
        self.complaints = []
        self.requests = []

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def hear(self, method, parameters):
        if method == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            self.complaints.append(details.get("exception", {}).get("description", str(details)))
        elif method == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
            self.complaints.append(parameters["entry"]["text"])
        elif method == "Runtime.consoleAPICalled":
            self.complaints.append(str(parameters["args"]))
        elif method == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])

    def value(self, expression):
        """What an expression is; an object comes as JSON has it."""
        result = self.call(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def text(self, selector):
        return self.value(f"document.querySelector({json.dumps(selector)}).textContent")

    def texts(self, selector):
        """The texts of all that fit."""
        return self.value(
            f"[...document.querySelectorAll({json.dumps(selector)})].map((e) => e.textContent)"
        )

    def click(self, selector):
        self.value(f"document.querySelector({json.dumps(selector)}).click()")

    def choose(self, selector, value, event="change"):
        """Types into a field, or picks from a list."""
        self.value(
            f"{{ const e = document.querySelector({json.dumps(selector)}); "
            f"e.value = {json.dumps(value)}; e.dispatchEvent(new Event({json.dumps(event)})); }}"
        )

    def press(self, *keys):
        for key in keys:
            for kind in ("keyDown", "keyUp"):
                self.call("Input.dispatchKeyEvent", type=kind, key=key)

    def width(self, pixels):
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=pixels,
            height=900,
            deviceScaleFactor=1,
            mobile=False,
        )
        self.value("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 60)))")

    def pdf(self):
        return base64.b64decode(self.call("Page.printToPDF")["data"])


class Browser:
    def __init__(self, program):
        self.folder = tempfile.mkdtemp()
        self.process = subprocess.Popen(
            [
                program,
                "--headless=new",
                "--no-sandbox",  # tests may run as root
                "--disable-gpu",
                "--remote-debugging-port=0",
                f"--user-data-dir={self.folder}",
                "about:blank",
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.socket = Socket("127.0.0.1", *self._address())
        self.sent = 0
        self.pages = {}

    def _address(self):
        place = pathlib.Path(self.folder) / "DevToolsActivePort"
        until = time.monotonic() + TIMEOUT
        while time.monotonic() < until:
            with contextlib.suppress(OSError, ValueError):
                port, path = place.read_text().split("\n")[:2]
                return int(port), path
            assert self.process.poll() is None, "the browser ended"
            time.sleep(0.05)
        raise TimeoutError("the browser does not answer")

    def call(self, method, session=None, **parameters):
        self.sent += 1
        message = {"id": self.sent, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        self.socket.send(message)
        while True:
            answer = self.socket.receive()
            if answer.get("id") == self.sent:
                assert "error" not in answer, f"{method}: {answer}"
                return answer["result"]
            page = self.pages.get(answer.get("sessionId"))
            if page and "method" in answer:
                page.hear(answer["method"], answer["params"])

    def open(self, path, width=1200, scheme="light"):
        """A page of a file, once it is whole."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = self.pages[session] = Page(self, session)
        for domain in ("Page", "Runtime", "Log", "Network"):
            page.call(domain + ".enable")
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        page.call("Emulation.setEmulatedMedia", features=features)
        page.width(width)
        address = pathlib.Path(path).resolve().as_uri()
        page.requests.clear()
        page.call("Page.navigate", url=address)
        until = time.monotonic() + TIMEOUT
        while page.value("location.href + document.readyState") != address + "complete":
            assert time.monotonic() < until, "the page does not load"
            time.sleep(0.02)
        page.width(width)
        return page

    def close(self):
        with contextlib.suppress(OSError, EOFError):
            self.call("Browser.close")
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
