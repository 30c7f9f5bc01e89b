package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/ground/display"
)

// piece is a part of a line; those with the least keep go first when the line is too long.
type piece struct {
	text string
	keep int
}

// fit joins pieces to a line of at most width columns; 0 means any width. The first piece always stays.
func fit(width int, indent string, pieces ...piece) string {
	for {
		line := indent
		least := -1
		for i, p := range pieces {
			if i > 0 {
				line += "  "
			}
			line += p.text
			if i > 0 && (least < 0 || p.keep < pieces[least].keep) {
				least = i
			}
		}
		if width <= 0 || display.Columns(line) <= width || least < 0 {
			return display.Clip(line, width)
		}
		pieces = slices.Delete(slices.Clone(pieces), least, least+1)
	}
}

// statusLines renders the status in at most height lines of at most width columns; 0 means as many as it takes. When
// there is little room, the most important lines stay.
func statusLines(st *metrics.Stats, width, height int) []string {
	if st.State == metrics.StateLoading { // there is nothing to count yet
		lines := []string{fit(width, "", piece{"smtlark", 0}, piece{duration(st.Elapsed), 8}, piece{"seed " + st.Seed, 2}, piece{"[" + stateText(st) + "]", 7})}
		for _, d := range st.Workers.Doing {
			lines = append(lines, display.Clip("  "+display.Line(d), width))
		}
		if height > 0 {
			lines = lines[:min(len(lines), height)]
		}
		return lines
	}
	lines := []string{headLine(st, width), workLine(st, width), foundLine(st, width)}
	if doing := notable(st.Workers.Doing); len(doing) > 0 && (height == 0 || height > len(lines)+1) {
		lines = append(lines, display.Clip("  doing: "+display.Line(strings.Join(doing, "; ")), width))
	}
	if height > 0 && height <= len(lines) {
		return lines[:height]
	}
	room := -1
	if height > 0 {
		room = height - len(lines)
	}
	warnings := warningLines(st, width, room)
	room = less(room, len(warnings))
	yields := yieldLines(st, width, room)
	targets := targetLines(st.Targets, width, less(room, len(yields)))
	return slices.Concat(lines, targets, yields, warnings)
}

// less takes lines from the room that is left; -1 is endless room.
func less(room, taken int) int {
	if room < 0 {
		return room
	}
	return max(0, room-taken)
}

func headLine(st *metrics.Stats, width int) string {
	pieces := []piece{
		{"smtlark", 0},
		{display.Line(st.Campaign), 6},
		{display.Line(st.Technique), 1},
		{"run " + duration(st.Elapsed), 8},
	}
	if st.Left > 0 {
		pieces = append(pieces, piece{"left " + duration(st.Left), 5})
	}
	pieces = append(pieces,
		piece{"seed " + st.Seed, 2},
		piece{fmt.Sprintf("workers %d/%d", st.Workers.Alive, st.Workers.Wanted), 4},
		piece{"[" + stateText(st) + "]", 7},
	)
	return fit(width, "", pieces...)
}

func workLine(st *metrics.Stats, width int) string {
	pieces := []piece{
		{"cases " + number(st.Cases), 9}, {fmt.Sprintf("%.1f/s", st.Rate), 8}, {"skipped " + number(st.Skipped), 3},
		{cpuShares(&st.CPU), 1},
	}
	for _, p := range []struct {
		name string
		n    uint64
		keep int
	}{{"killed", st.Killed, 5}, {"errors", st.Errors, 6}, {"restarts", uint64(st.Workers.Restarts), 4}, {"broken seeds", uint64(st.BrokenSeeds), 2}, {"mislabelled seeds", uint64(len(st.MislabelledSeeds)), 5}} {
		if p.n > 0 {
			pieces = append(pieces, piece{p.name + " " + number(p.n), p.keep})
		}
	}
	return fit(width, "  ", pieces...)
}

func foundLine(st *metrics.Stats, width int) string {
	f := &st.Findings
	pieces := []piece{{fmt.Sprintf("findings %d", f.New), 9}}
	if f.New > 0 {
		pieces = append(pieces, piece{"last " + duration(st.Elapsed-f.Last) + " ago", 6})
	}
	if a := &st.API; a.ActionsClaimed > 0 {
		pieces = append(pieces, piece{apiText(a), 1})
	}
	if text := edgesText(st); text != "" {
		pieces = append(pieces, piece{text, 7})
	}
	pieces = append(pieces, piece{"duplicates " + number(f.Duplicates), 2}, piece{fmt.Sprintf("known %d", f.Known), 3}, piece{fmt.Sprintf("flaky %d", f.Flaky), 4})
	if f.Pending+f.Reducing > 0 {
		pieces = append(pieces, piece{fmt.Sprintf("confirming %d", f.Pending), 5}, piece{fmt.Sprintf("reducing %d", f.Reducing), 5})
	}
	return fit(width, "  ", pieces...)
}

// apiText says how much of API fuzzing was taken by a target.
func apiText(a *metrics.APIStats) string {
	return fmt.Sprintf("operators %d/%d ok, actions %d/%d", a.OperatorsOK, a.OperatorsClaimed, a.ActionsOK, a.ActionsClaimed)
}

// warningLines takes at most a third of the room, and says how many there are that have no place.
func warningLines(st *metrics.Stats, width, room int) (lines []string) {
	most := len(st.Health)
	if room >= 0 {
		most = min(most, max(1, room/3), room)
	}
	for i := range most {
		text := "  ! " + display.Line(st.Health[i])
		if more := len(st.Health) - most; i == most-1 && more > 0 {
			note := fmt.Sprintf(" (+%d)", more)
			text = display.Clip(text, width-len(note)) + note
		}
		lines = append(lines, display.Clip(text, width))
	}
	return lines
}

// yieldLines shows the yield of techniques and mutators: a table where there is room for it, else a line.
func yieldLines(st *metrics.Stats, width, room int) []string {
	all := slices.Concat(st.Techniques, st.Steps)
	if len(all) == 0 || room >= 0 && room < 4 {
		return nil
	}
	if len(all) > 1 && (room < 0 || room >= len(st.Targets)+len(all)+3) {
		rows := yieldRows(st)
		lines := fitTable(rows, []int{0, 5, 2, 3, 6, 9, 1}, width-2)
		for i := range lines {
			lines[i] = display.Clip("  "+lines[i], width)
		}
		return lines
	}
	pieces := []piece{{"yield", 0}}
	for i, t := range all {
		pieces = append(pieces, piece{fmt.Sprintf("%s %d in %s cases", display.Line(t.Name), t.Findings, short(t.Cases)), 1000*int(min(t.Findings, 1000)) - i})
	}
	return []string{fit(width, "  ", pieces...)}
}

// short writes a count in a few characters.
func short(n uint64) string {
	switch {
	case n >= 10_000_000:
		return fmt.Sprintf("%dM", n/1_000_000)
	case n >= 10_000:
		return fmt.Sprintf("%dk", n/1000)
	}
	return fmt.Sprint(n)
}

// targetLines is the table of targets; a last line counts the targets that have no place.
func targetLines(targets []metrics.TargetStats, width, room int) []string {
	if len(targets) == 0 || room == 0 {
		return nil
	}
	keep := []int{0}
	for _, c := range columns {
		keep = append(keep, c.keep)
	}
	lines := fitTable(targetRows(targets), keep, width-2)
	if room > 0 && room < 3 { // no room for a head
		lines = lines[1:]
	}
	if room > 0 && len(lines) > room {
		more := len(lines) - room + 1
		lines = append(lines[:room-1], fmt.Sprintf("… %s", plural(more, "more target", "more targets")))
	}
	for i := range lines {
		lines[i] = display.Clip("  "+lines[i], width)
	}
	return lines
}

// fitTable aligns rows in at most width columns; columns with the least keep go first when there is no room. The first
// column stays.
func fitTable(rows [][]string, keep []int, width int) []string {
	keep = slices.Clone(keep)
	for {
		lines := align(rows)
		if width <= 0 || display.Columns(lines[0]) <= width || len(keep) <= 1 {
			return lines
		}
		least := 1
		for i := range keep {
			if i > 0 && keep[i] < keep[least] {
				least = i
			}
		}
		keep = slices.Delete(keep, least, least+1)
		cut := make([][]string, len(rows))
		for i, r := range rows {
			cut[i] = slices.Delete(slices.Clone(r), least, least+1)
		}
		rows = cut
	}
}

func stateText(st *metrics.Stats) string {
	if st.State == metrics.StateDraining {
		return "ending: " + display.Line(st.StopReason)
	}
	if len(st.Health) > 0 {
		return fmt.Sprintf("%s, %s", st.State, plural(len(st.Health), "warning", "warnings"))
	}
	return st.State
}
