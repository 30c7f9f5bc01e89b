#!/bin/sh
# pictures.sh [FOLDER]: makes the pictures of the documentation: what a terminal shows while the quick start runs and after it, as text
# (NAME.txt) and as PNG, in FOLDER (default: docs/pictures). FOR in the environment says how many seconds the quick start runs (default 60).
# It needs tmux, Chromium, and solvers; smtlark is that of bin/.
set -eu
cd "$(dirname "$0")/.."
to=${1:-docs/pictures}
mkdir -p "$to"
to=$(cd "$to" && pwd)
bin=$(pwd)/bin
here=$(pwd)
work=$(mktemp -d)
session=pictures-$$
trap 'tmux kill-session -t "$session" 2>/dev/null || true; rm -rf "$work"' EXIT
browser=
for b in chromium chromium-browser google-chrome; do
	if command -v "$b" >/dev/null 2>&1; then browser=$b && break; fi
done
[ -n "$browser" ] || { echo "pictures: no Chromium" >&2; exit 69; }

columns=112
lines=36
cp "$here/scripts/quickstart.star" "$work"
tmux new-session -d -s "$session" -x $columns -y $lines -c "$work" \
	"PATH=$bin:\$PATH SMTLARK_SOLVERS=\${SMTLARK_SOLVERS:-$here/.solvers/bin} PS1='\$ ' sh"
tmux set-option -t "$session" status off

# shot NAME: writes what the terminal shows, without the paths of this machine.
shot() {
	tmux capture-pane -p -t "$session" | sed -e "s|$here/||g" -e "s|$work|.|g" -e 's/ *$//' | awk 'NF { while (held) { print ""; held-- } print; next } { held++ }' >"$to/$1.txt"
	{
		echo '<!doctype html><meta charset="utf-8"><style>body{margin:0;background:#14181d}pre{margin:0;padding:14px 16px;color:#d7dde4;font:13px/1.35 "DejaVu Sans Mono",monospace}</style><pre>'
		sed -e 's/&/\&amp;/g' -e 's/</\&lt;/g' "$to/$1.txt"
		echo '</pre>'
	} >"$work/$1.html"
	height=$(($(wc -l <"$to/$1.txt") * 18 + 40))
	"$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars --force-device-scale-factor=1 --window-size=920,$height \
		--screenshot="$to/$1.png" "file://$work/$1.html" >/dev/null 2>&1
}

# run COMMAND...: types a command into an empty terminal.
run() {
	tmux send-keys -t "$session" "clear; $*" Enter
}

run "smtlark run quickstart.star --for ${FOR:-60}s"
sleep $((${FOR:-60} / 2))
shot campaign
while tmux list-panes -t "$session" -F '#{pane_current_command}' | grep -q smtlark; do sleep 1; done
run "smtlark findings | cut -c1-110"
sleep 3
shot findings
run "cat findings/0001*/README.md | cut -c1-110 | head -32"
sleep 2
shot finding
ls "$to"
