"use strict";
(function () {
  var root = document.documentElement;
  root.classList.remove("noscript");
  var state = { column: -1, down: false, text: "", kind: "" };

  function value(row, column) {
    var cell = row.cells[column];
    var v = cell.getAttribute("data-v");
    return v === null ? cell.textContent.trim().toLowerCase() : Number(v);
  }

  function sort(table) {
    if (state.column < 0) { return; }
    var body = table.tBodies[0];
    var rows = Array.prototype.slice.call(body.rows);
    rows.map(function (row, i) { return { row: row, i: i, v: value(row, state.column) }; })
      .sort(function (a, b) {
        var c = a.v < b.v ? -1 : a.v > b.v ? 1 : 0;
        return (state.down ? -c : c) || a.i - b.i;
      })
      .forEach(function (e) { body.appendChild(e.row); });
    Array.prototype.forEach.call(table.tHead.rows[0].cells, function (th, i) {
      if (i === state.column) {
        th.setAttribute("aria-sort", state.down ? "descending" : "ascending");
      } else {
        th.removeAttribute("aria-sort");
      }
    });
  }

  function filter(table) {
    var shown = 0, all = 0;
    var words = state.text.toLowerCase().split(/\s+/);
    Array.prototype.forEach.call(table.tBodies[0].rows, function (row) {
      var text = row.textContent.toLowerCase();
      var ok = (!state.kind || row.getAttribute("data-kind") === state.kind) &&
        words.every(function (w) { return text.indexOf(w) >= 0; });
      row.hidden = !ok;
      var more = document.getElementById("f-" + row.getAttribute("data-id"));
      if (more) { more.hidden = !ok; }
      all++;
      if (ok) { shown++; }
    });
    document.getElementById("shown").textContent = (shown === all ? "" : shown + " of ") + all + (all === 1 ? " finding" : " findings");
  }

  function open() { // a link to a finding opens it
    var e = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (e && e.tagName === "DETAILS") { e.open = true; }
  }

  function wire() {
    var table = document.getElementById("findings");
    if (!table) { return; }
    Array.prototype.forEach.call(table.tHead.rows[0].cells, function (th, i) {
      th.querySelector("button").addEventListener("click", function () {
        state.down = state.column === i && !state.down;
        state.column = i;
        sort(table);
      });
    });
    var text = document.getElementById("filter"), kind = document.getElementById("kind");
    text.value = state.text;
    kind.value = state.kind;
    text.addEventListener("input", function () { state.text = text.value; filter(table); });
    kind.addEventListener("change", function () { state.kind = kind.value; filter(table); });
    sort(table);
    filter(table);
  }

  wire();
  open();
  window.addEventListener("hashchange", open);
  var closed = [];
  window.addEventListener("beforeprint", function () {
    closed = Array.prototype.slice.call(document.querySelectorAll("details.finding:not([open])"));
    closed.forEach(function (d) { d.open = true; });
  });
  window.addEventListener("afterprint", function () { closed.forEach(function (d) { d.open = false; }); });

  // The live page fetches itself and replaces the parts that changed.
  var every = Number(document.body.getAttribute("data-live"));
  if (!every) { return; }
  var tag = "", failed = 0;

  function replace(text) {
    var next = new DOMParser().parseFromString(text, "text/html");
    document.title = next.title;
    Array.prototype.forEach.call(document.querySelectorAll("[data-part]"), function (old) {
      var part = next.querySelector('[data-part="' + old.getAttribute("data-part") + '"]');
      if (!part || part.getAttribute("data-hash") === old.getAttribute("data-hash")) { return; }
      var openOnes = {}, scrolled = {}, focus = document.activeElement && old.contains(document.activeElement) ? document.activeElement.id : "";
      Array.prototype.forEach.call(old.querySelectorAll("details[id]"), function (d) { openOnes[d.id] = d.open; });
      Array.prototype.forEach.call(old.querySelectorAll(".scroll[id]"), function (d) { scrolled[d.id] = d.scrollLeft; });
      var caret = focus && document.activeElement.selectionStart;
      part = document.importNode(part, true);
      old.replaceWith(part);
      Object.keys(openOnes).forEach(function (id) { var d = document.getElementById(id); if (d) { d.open = openOnes[id]; } });
      Object.keys(scrolled).forEach(function (id) { var d = document.getElementById(id); if (d) { d.scrollLeft = scrolled[id]; } });
      if (part.querySelector("#findings")) { wire(); }
      var f = focus && document.getElementById(focus);
      if (f) {
        f.focus({ preventScroll: true });
        if (caret !== null && caret !== undefined && f.setSelectionRange) { f.setSelectionRange(caret, caret); }
      }
    });
  }

  function lost(is) {
    document.getElementById("lost").hidden = !is;
  }

  function poll() {
    fetch(location.pathname, { headers: tag ? { "If-None-Match": tag } : {}, cache: "no-store" }).then(function (r) {
      if (r.status === 304) { return null; }
      if (!r.ok) { throw new Error(String(r.status)); }
      tag = r.headers.get("ETag") || "";
      return r.text();
    }).then(function (text) {
      failed = 0;
      lost(false);
      if (text !== null) { replace(text); }
    }).catch(function () {
      failed++;
      if (failed > 1) { lost(true); }
    }).then(function () { setTimeout(poll, every * Math.min(10, 1 + failed)); });
  }
  setTimeout(poll, every);
})();
