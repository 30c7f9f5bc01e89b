package report

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/judge/triage"
)

// browser returns the path of Chromium. Without one the test is skipped; in CI there has to be one (make setup).
func browser(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	require.NotEqual(t, "true", os.Getenv("CI"), "Chromium must be installed in CI: make setup")
	t.Skip("Chromium is not installed: run make setup to test pages in a browser")
	return ""
}

// browse opens a page, lets some virtual time pass, and returns what the page wrote into its element result: an object
// of booleans and numbers by name.
func browse(t *testing.T, path, url string, budget time.Duration) map[string]any {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1", "--user-data-dir="+t.TempDir(),
		"--window-size=1400,1000", fmt.Sprint("--virtual-time-budget=", budget.Milliseconds()), "--dump-dom", url)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	require.NoError(t, cmd.Run(), "%s", errs.String())
	m := regexp.MustCompile(`(?s)<pre id="result">(.*?)</pre>`).FindStringSubmatch(out.String())
	require.NotNil(t, m, "no result in %s\n%s", out.String(), errs.String())
	var result map[string]any
	require.NoError(t, json.Unmarshal([]byte(html.UnescapeString(m[1])), &result), m[1])
	return result
}

// harness is a page that runs script; the script calls done(result).
func harness(script string) string {
	return `<!DOCTYPE html><meta charset="utf-8"><title>harness</title><link rel="icon" href="data:,"><body><script>
function frame(url, width) {
  return new Promise(function (ok) {
    var f = document.createElement("iframe");
    f.width = width; f.height = 900; f.style.border = "0";
    f.onload = function () { ok(f); };
    f.src = url;
    document.body.appendChild(f);
  });
}
function wait(ms) { return new Promise(function (ok) { setTimeout(ok, ms); }); }
function done(result) {
  var p = document.createElement("pre");
  p.id = "result";
  p.textContent = JSON.stringify(result);
  document.body.appendChild(p);
}
function ids(d) {
  return Array.from(d.querySelectorAll("#findings tbody tr")).filter(function (r) { return !r.hidden; }).map(function (r) { return r.dataset.id; });
}
function click(d, name) {
  Array.from(d.querySelectorAll("#findings thead button")).find(function (b) { return b.textContent === name; }).click();
}
(async function () { try {` + script + `} catch (e) { done({ error: String(e && e.stack || e) }); } })();
</script></body>`
}

// logged notes the paths of all requests.
type logged struct {
	mu    sync.Mutex
	paths map[string]int
}

func (l *logged) wrap(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		l.mu.Lock()
		l.paths[r.URL.Path]++
		l.mu.Unlock()
		h.ServeHTTP(w, r)
	})
}

// TestPageInBrowser looks at the page as a person does: at several widths, sorting, filtering, following links, with a
// screen reader's eyes.
func TestPageInBrowser(t *testing.T) {
	path := browser(t)
	d := sample()
	d.Findings[0].Severity = triage.WrongUnsat
	require.NoError(t, json.Unmarshal([]byte(`{"targets":[{"name":"z3","cells":9,"probed":4}],"classes":{"BV":["zero","ones"]},"rows":[
		{"theory":"BV","name":"bvadd","factors":["BV","BV"],"cells":4,"probed":{"z3":"07"}},
		{"theory":"BV","name":"bvnot","factors":["BV"],"cells":2,"declined":{"z3":8}},
		{"theory":"BV","name":"f","cells":1,"probed":{"z3":"01"}}]}`), &d.Run.Stats.Cells))
	for i := range 30 {
		f := another(d.Findings[0], fmt.Sprint(i+10), i+10, "k1")
		f.Verdict.Kind, f.Count = []string{"crash", "known-answer", "disagreement"}[i%3], (i*7)%31+100
		f.Verdict.Summary = fmt.Sprintf("finding token%dx of %s", i, strings.Repeat("averylongwordwithoutanyblank", i%4))
		d.Findings = append(d.Findings, f)
	}
	var page bytes.Buffer
	require.NoError(t, HTML(&page, d))
	log := &logged{paths: map[string]int{}}
	mux := http.NewServeMux()
	mux.HandleFunc("/page", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(page.Bytes())
	})
	mux.HandleFunc("/harness", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(harness(`
var out = {};
for (var width of [320, 375, 768, 1100, 1280]) {
  var f = await frame("/page", width), d = f.contentDocument;
  out["overflow " + width] = d.documentElement.scrollWidth - d.documentElement.clientWidth;
  out["wide " + width] = Array.from(d.querySelectorAll("main *, header *")).filter(function (e) { return !e.closest(".scroll, pre, svg") && e.getBoundingClientRect().right > width; }).map(function (e) { return e.tagName + "." + e.className + "#" + e.id; }).slice(0, 4).join();
  var rows = d.getElementById("s-findings");
  out["cut off " + width] = rows.scrollWidth - rows.clientWidth;
  out["small text " + width] = Array.from(d.querySelectorAll("main *")).filter(function (e) {
    return e.childNodes.length && Array.from(e.childNodes).some(function (n) { return n.nodeType === 3 && n.textContent.trim(); }) && parseFloat(f.contentWindow.getComputedStyle(e).fontSize) < 10;
  }).length;
}
var w = f.contentWindow;
out.script = !d.documentElement.classList.contains("noscript");
out.style = w.getComputedStyle(d.body).backgroundColor !== "rgba(0, 0, 0, 0)";
out.foreignScripts = d.querySelectorAll("script").length - 1;
out.images = d.querySelectorAll("img").length;
out.all = ids(d).length;
click(d, "seen");
var counts = Array.from(d.querySelectorAll("#findings tbody tr")).map(function (r) { return Number(r.cells[5].dataset.v); });
out.ascending = counts.every(function (c, i) { return !i || counts[i - 1] <= c; });
out.ariaUp = d.querySelectorAll("th[aria-sort=ascending]").length;
click(d, "seen");
counts = Array.from(d.querySelectorAll("#findings tbody tr")).map(function (r) { return Number(r.cells[5].dataset.v); });
out.descending = counts.every(function (c, i) { return !i || counts[i - 1] >= c; });
out.ariaDown = d.querySelectorAll("th[aria-sort=descending]").length;
var filter = d.getElementById("filter"), kind = d.getElementById("kind");
filter.value = "Token7x finding"; filter.dispatchEvent(new w.Event("input"));
out.filtered = ids(d).join();
out.told = d.getElementById("shown").textContent === "1 of 33 findings";
out.casesHidden = Array.from(d.querySelectorAll("details.finding")).filter(function (e) { return !e.hidden; }).length;
filter.value = ""; filter.dispatchEvent(new w.Event("input"));
kind.value = "disagreement"; kind.dispatchEvent(new w.Event("change"));
out.ofKind = ids(d).length;
kind.value = ""; kind.dispatchEvent(new w.Event("change"));
d.querySelector('#findings a[href="#f-12"]').click();
await wait(50);
out.opened = d.getElementById("f-12").open;
w.dispatchEvent(new w.Event("beforeprint"));
out.printed = d.querySelectorAll("details.finding:not([open])").length;
w.dispatchEvent(new w.Event("afterprint"));
out.closedAgain = d.querySelectorAll("details.finding[open]").length;
out.h1 = d.querySelectorAll("h1").length;
var level = 1;
out.headingJumps = Array.from(d.querySelectorAll("h1,h2,h3")).filter(function (h) { var l = Number(h.tagName[1]), bad = l > level + 1; level = l; return bad; }).length;
out.tablesWithoutCaption = Array.from(d.querySelectorAll("table")).filter(function (x) { return !x.caption || !x.caption.textContent.trim(); }).length;
out.headsWithoutScope = d.querySelectorAll("th:not([scope])").length;
out.svgWithoutName = Array.from(d.querySelectorAll("svg")).filter(function (s) { return !s.getAttribute("aria-hidden") && !(s.getAttribute("role") === "img" && s.getAttribute("aria-label")); }).length;
out.plots = d.querySelectorAll("figure svg[role=img]").length;
out.fieldsWithoutLabel = Array.from(d.querySelectorAll("input,select")).filter(function (e) { return !e.labels.length; }).length;
var seen = {};
out.doubleIDs = Array.from(d.querySelectorAll("[id]")).filter(function (e) { var twice = seen[e.id]; seen[e.id] = true; return twice; }).length;
out.brokenLinks = Array.from(d.querySelectorAll('a[href^="#"]')).filter(function (a) { return !d.getElementById(decodeURIComponent(a.hash.slice(1))); }).length;
out.unreachable = Array.from(d.querySelectorAll(".scroll")).filter(function (e) { return e.tabIndex < 0 || !(e.getAttribute("aria-label") || e.getAttribute("aria-labelledby")); }).length;
var map = d.querySelector("details[data-cells]"), sheet = d.getElementById("cellsheet");
out.drawnBefore = d.querySelectorAll("details[data-cells] svg").length;
map.open = true;
await wait(50);
out.operators = Array.from(map.querySelectorAll("tbody th")).map(function (e) { return e.textContent; }).join();
out.probed = Array.from(map.querySelectorAll("td.n")).map(function (e) { return e.textContent; }).join();
out.squares = Array.from(map.querySelectorAll("rect")).map(function (e) { return e.getAttribute("class").slice(4); }).join("");
out.square = map.querySelector("rect title").textContent;
out.named = map.querySelector("svg").getAttribute("aria-label");
map.open = false; map.open = true;
await wait(50);
out.drawnOnce = map.querySelectorAll("table").length;
d.getElementById("metrics").open = true;
await wait(50);
out.metrics = d.querySelectorAll("#metrics tbody tr").length > 30;
out.cards = Array.from(d.querySelectorAll(".card h3 a")).map(function (a) { return a.textContent; }).join();
var copied = "";
d.execCommand = function () { copied = w.getSelection().toString(); return true; };
Object.defineProperty(w.navigator, "clipboard", { value: undefined });
d.querySelector(".card .copy").click();
out.copied = copied.indexOf("x") >= 0;
out.toldCopied = d.querySelector(".card .copy").textContent;
out.severities = Array.from(d.querySelectorAll("#findings tbody tr")).slice(0, 2).map(function (r) { return r.cells[1].textContent; }).join();
out.lang = d.documentElement.lang === "en";
out.title = d.title.indexOf("smtlark: ") === 0;
done(out);`)))
	})
	server := httptest.NewServer(log.wrap(mux))
	defer server.Close()
	got := browse(t, path, server.URL+"/harness", 5*time.Second)
	want := map[string]any{
		"script": true, "style": true, "foreignScripts": 0.0, "images": 0.0, "all": 33.0, "ascending": true, "ariaUp": 1.0, "descending": true, "ariaDown": 1.0,
		"filtered": "17", "told": true, "casesHidden": 1.0, "ofKind": 10.0, "opened": true, "printed": 0.0, "closedAgain": 1.0, "h1": 1.0, "headingJumps": 0.0,
		"tablesWithoutCaption": 0.0, "headsWithoutScope": 0.0, "svgWithoutName": 0.0, "plots": got["plots"], "fieldsWithoutLabel": 0.0, "doubleIDs": 0.0, "brokenLinks": 0.0,
		"unreachable": 0.0, "lang": true, "title": true,
		"drawnBefore": 0.0, "operators": "bvadd,bvnot,f", "probed": "3 of 4,declined,1 of 1", "squares": "212100", "square": "zero: all", "named": "BV: not all of ones", "drawnOnce": 1.0,
		"metrics": true, "cards": "1,10,11", "copied": true, "toldCopied": "Copied", "severities": "wrong unsat,wrong unsat",
	}
	for _, width := range []int{320, 375, 768, 1100, 1280} {
		want[fmt.Sprint("wide ", width)], want[fmt.Sprint("overflow ", width)], want[fmt.Sprint("small text ", width)], want[fmt.Sprint("cut off ", width)] = "", 0.0, 0.0, 0.0
	}
	require.Equal(t, want, got)
	require.GreaterOrEqual(t, got["plots"], 8.0)
	require.Len(t, log.paths, 2, "the page asked for nothing else: %v", log.paths)
}

// TestLivePageInBrowser changes what is on disk while the page is open.
func TestLivePageInBrowser(t *testing.T) {
	path := browser(t)
	dir := runFolder(t)
	s := NewServer(dir, "smtlark x")
	var mu sync.Mutex
	now := time.Date(2026, 11, 1, 10, 0, 0, 0, time.UTC)
	s.now = func() time.Time { // the browser's time passes faster than ours
		mu.Lock()
		defer mu.Unlock()
		now = now.Add(time.Second)
		return now
	}
	log := &logged{paths: map[string]int{}}
	mux := http.NewServeMux()
	mux.Handle("/", s.Handler())
	mux.HandleFunc("/bump", func(http.ResponseWriter, *http.Request) {
		file := filepath.Join(dir, "runs", "camp", "2026-11-01T10-00-00Z", "stats.json")
		text, err := os.ReadFile(file)
		if err == nil {
			err = os.WriteFile(file, bytes.Replace(text, []byte(`"cases":1234567`), []byte(`"cases":7654321`), 1), 0o644)
		}
		folder := filepath.Join(dir, "findings", "0003-z")
		if err == nil {
			err = os.MkdirAll(folder, 0o755)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, "finding.json"), []byte(findingJSON(3, "crash", "a <b>new</b> run")), 0o644)
		}
		if err == nil {
			err = takeIn(dir, "0003-z")
		}
		if err != nil {
			t.Error(err)
		}
	})
	mux.HandleFunc("/harness", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(harness(`
var f = await frame("/", 1000), d = f.contentDocument, w = f.contentWindow, out = {};
out.before = d.body.textContent.indexOf("1,234,567") >= 0;
d.getElementById("f-1").open = true;
click(d, "number"); click(d, "number");
var filter = d.getElementById("filter");
filter.value = "run"; filter.dispatchEvent(new w.Event("input")); filter.focus();
w.mark = "not loaded again";
await wait(7000);
out.quiet = d.body.textContent.indexOf("7,654,321") < 0;
await fetch("/bump");
for (var i = 0; i < 20 && d.body.textContent.indexOf("7,654,321") < 0; i++) { await wait(1000); }
out.after = d.body.textContent.indexOf("7,654,321") >= 0;
out.text = d.body.textContent.indexOf("a <b>new</b> run") >= 0;
out.same = w.mark === "not loaded again";
out.open = d.getElementById("f-1").open;
out.order = ids(d).join();
out.filter = d.getElementById("filter").value;
out.focus = d.activeElement && d.activeElement.id;
out.lost = d.getElementById("lost").hidden === false;
done(out);`)))
	})
	server := httptest.NewServer(log.wrap(mux))
	defer server.Close()
	got := browse(t, path, server.URL+"/harness", 30*time.Second)
	require.Equal(t, map[string]any{
		"before": true, "quiet": true, "after": true, "text": true, "same": true, "open": true, "order": "3,2", "filter": "run", "focus": "filter", "lost": false,
	}, got)
	require.Len(t, log.paths, 3, "%v", log.paths)
	require.Greater(t, log.paths["/"], 3)
}
