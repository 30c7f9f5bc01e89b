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

  // Maps of cells are drawn when they are opened. The sheet has a line for each kind of factor, operator, theory and target.
  var levels = ["none", "some", "all"];

  function sheet() {
    var all = { classes: {}, rows: [], theories: {}, targets: [] };
    document.getElementById("cellsheet").textContent.split("\n").forEach(function (line) {
      var f = line.split("\t");
      switch (f[0]) {
      case "class": all.classes[f[1]] = f.slice(2); break;
      case "row": all.rows.push({ name: f[1], cells: f[2], factors: f.slice(3) }); break;
      case "theory": all.theories[f[1]] = f.slice(2); break;
      case "target": all.targets.push(f.slice(1)); break;
      }
    });
    return all;
  }

  function element(parent, tag, cls, text) {
    var e = document.createElement(tag);
    if (cls) { e.className = cls; }
    if (text !== undefined) { e.textContent = text; }
    parent.appendChild(e);
    return e;
  }

  function strip(parent, kind, names, digit) {
    var ns = "http://www.w3.org/2000/svg", svg = document.createElementNS(ns, "svg"), missing = [];
    svg.setAttribute("class", "cells");
    svg.setAttribute("viewBox", "0 0 " + 10 * names.length + " 10");
    svg.setAttribute("width", 10 * names.length);
    svg.setAttribute("height", 10);
    svg.setAttribute("role", "img");
    names.forEach(function (name, i) {
      var rect = document.createElementNS(ns, "rect"), title = document.createElementNS(ns, "title"), level = digit(i);
      rect.setAttribute("x", 10 * i);
      rect.setAttribute("width", 9);
      rect.setAttribute("height", 10);
      rect.setAttribute("class", "cell" + level);
      title.textContent = name + ": " + levels[level];
      rect.appendChild(title);
      svg.appendChild(rect);
      if (level < 2) { missing.push(name); }
    });
    svg.setAttribute("aria-label", kind + ": " + (missing.length ? "not all of " + missing.join(", ") : "all classes probed"));
    parent.appendChild(svg);
  }

  // tableIn makes a table with a head in a part that was opened, and returns its body; nothing where there is one already.
  function tableIn(details, label, caption, columns) {
    var into = details.querySelector("div");
    if (into.querySelector("table")) { return null; }
    var box = element(into, "div", "scroll");
    box.tabIndex = 0;
    box.setAttribute("role", "region");
    box.setAttribute("aria-label", label);
    var table = element(box, "table"), head;
    element(table, "caption", "", caption);
    head = element(element(table, "thead"), "tr");
    columns.forEach(function (c) { element(head, "th", c[1], c[0]).scope = "col"; });
    return element(table, "tbody");
  }

  function drawMetrics(details) {
    var body = tableIn(details, "All metrics", "As stats.json has them", [["metric", ""], ["value", "n"], ["meaning", ""]]);
    if (!body) { return; }
    var metric = null;
    document.getElementById("metricsheet").textContent.split("\n").forEach(function (line) {
      var f = line.split("\t");
      if (f[0] === "metric") { metric = f; }
      if (f[0] !== "sample") { return; }
      var tr = element(body, "tr");
      element(tr, "th", "mono", metric[1] + (f[1] ? " " + f[1] : "")).scope = "row";
      element(tr, "td", "n", f[2]);
      element(tr, "td", "", metric[2]);
    });
  }

  function drawCells(details) {
    var theory = details.getAttribute("data-theory");
    var body = tableIn(details, "Cells of " + theory, "Hover over a square for its class", [["operator", ""], ["probed", "n"], ["operands and indices", ""]]);
    if (!body) { return; }
    var all = sheet(), words = all.targets[Number(details.getAttribute("data-cells"))];
    (all.theories[theory] || []).forEach(function (i) {
      var row = all.rows[Number(i)], word = words[Number(i)].split(" "), tr = element(body, "tr");
      element(tr, "th", "mono", row.name).scope = "row";
      element(tr, "td", "n", word[0] === "-" ? "declined" : word[0] + " of " + row.cells);
      var cell = element(tr, "td", "strips");
      row.factors.forEach(function (kind, k) {
        var factor = element(cell, "span", "factor");
        element(factor, "span", "soft", kind + " ");
        strip(factor, kind, all.classes[kind] || [], function (c) {
          return word[0] === "-" || word[0] === "0" ? 0 : word.length === 1 ? 2 : Number(word[1 + k][c]);
        });
      });
    });
  }

  document.addEventListener("toggle", function (e) { // it does not bubble
    if (e.target.open && e.target.hasAttribute("data-cells")) { drawCells(e.target); }
    if (e.target.open && e.target.hasAttribute("data-metrics")) { drawMetrics(e.target); }
  }, true);

  document.addEventListener("click", function (e) {
    var button = e.target.closest && e.target.closest("button.copy");
    if (!button) { return; }
    var from = document.getElementById(button.getAttribute("data-copies"));
    function told(ok) {
      button.textContent = ok ? "Copied" : "Selected: copy it with the keyboard";
      setTimeout(function () { button.textContent = "Copy"; }, 3000);
    }
    function select() { // where a page may not write to the clipboard
      var range = document.createRange();
      range.selectNodeContents(from);
      getSelection().removeAllRanges();
      getSelection().addRange(range);
      told(document.execCommand("copy"));
    }
    if (navigator.clipboard) {
      navigator.clipboard.writeText(from.textContent).then(function () { told(true); }, select);
    } else {
      select();
    }
  });

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
