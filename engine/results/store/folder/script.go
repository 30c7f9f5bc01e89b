package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

// campaignDir is the subfolder of a finding's folder with the campaign file and the files that it loads. It is a
// project of its own.
const (
	campaignDir = "campaign"
	projectMark = ".smtlark"
)

// maxSources limits how many bytes are read back from campaignDir.
const maxSources = 64 << 20

// needsCampaignFile reports whether only the campaign file can show a finding again, by its oracle or by its actions,
// and it is there.
func needsCampaignFile(f *finding.Finding) bool {
	switch {
	case f.Sources == nil:
		return false
	case f.Scripted == finding.ScriptedOracle:
		return true
	}
	return f.Scripted == finding.ScriptedActions && liveTrace(smallestWire(f)).HasCustom()
}

// liveTrace returns the calls of a case, nil for one that is text.
func liveTrace(w *testcase.Wire) *solvers.Trace {
	if w == nil || w.Trace == "" {
		return nil
	}
	c, err := w.Case(nil)
	if err != nil {
		return nil
	}
	return c.LiveTrace()
}

// campaignFile is the campaign file as repro.star names it.
func campaignFile(s *finding.Sources) string {
	if strings.HasPrefix(s.File, "@") {
		return s.File
	}
	return campaignDir + "/" + s.File
}

// campaignFiles are the files of the campaign's folder.
func campaignFiles(f *finding.Finding) []file {
	if !needsCampaignFile(f) || len(f.Sources.Texts) == 0 {
		return nil
	}
	files := []file{{campaignDir + "/" + projectMark, nil, 0o644}}
	for _, name := range slices.Sorted(maps.Keys(f.Sources.Texts)) {
		if fs.ValidPath(name) {
			files = append(files, file{campaignDir + "/" + name, []byte(f.Sources.Texts[name]), 0o644})
		}
	}
	return files
}

// readSources reads the campaign's folder of a finding back; nil if the finding has none.
func readSources(dir string, r *Record) (*finding.Sources, error) {
	if r.Sources == nil {
		return nil, nil
	}
	s := &finding.Sources{File: r.Sources.File, Settings: r.Sources.Settings}
	folder, err := os.OpenRoot(dir) // a link leads nowhere else
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	root, err := folder.OpenRoot(campaignDir)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return nil, err
	}
	defer root.Close()
	s.Texts = map[string]string{}
	size := int64(0)
	return s, fs.WalkDir(root.FS(), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || path == projectMark {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if size += info.Size(); size > maxSources {
			return fmt.Errorf("%s has more than %d MB: that is no campaign file", filepath.Join(dir, campaignDir), maxSources>>20)
		}
		text, err := fs.ReadFile(root.FS(), path)
		s.Texts[path] = string(text)
		return err
	})
}

// shownTargets returns the targets whose runs an oracle of the campaign file was shown, in their order: all that can be
// had in the mode of the finding.
func shownTargets(f *finding.Finding) []finding.Target {
	var out []finding.Target
	runs := shownRuns(f)
	for _, t := range f.Plan.Targets {
		native := t.Mode == string(solvers.Native)
		if !(native && f.Mode == string(solvers.Fresh)) && slices.ContainsFunc(runs, func(r finding.Run) bool { return r.Target == t.Name }) {
			out = append(out, t)
		}
	}
	return out
}

// rankedPrograms returns the targets in the order in which repro.sh takes other programs for them: first the one that
// is wrong. Where the oracle named none, that is the one of which its message speaks first.
func rankedPrograms(f *finding.Finding) []finding.Target {
	list := slices.Clone(shownTargets(f))
	rank := func(t finding.Target) int {
		if t.Name == firstOrEmpty(f.Verdict.Targets) {
			return -1
		}
		for _, name := range []string{t.Name, t.Solver} {
			if i := strings.Index(f.Verdict.Summary, name); i >= 0 && name != "" && len(f.Verdict.Targets) == 0 {
				return i
			}
		}
		return len(f.Verdict.Summary)
	}
	slices.SortStableFunc(list, func(a, b finding.Target) int { return rank(a) - rank(b) })
	return list
}

// scriptedArgs writes the arguments of reproduce(...) that are those of a campaign file's oracle or action.
func scriptedArgs(f *finding.Finding, exprs Exprs, arg func(name, value string)) {
	v := &f.Verdict
	arg("campaign", starString(campaignFile(f.Sources)))
	verdict := [][2]string{{"oracle", starString(v.Oracle)}, {"kind", starString(v.Kind)}}
	add := func(is bool, name, value string) {
		if is {
			verdict = append(verdict, [2]string{name, value})
		}
	}
	add(v.Group != "", "group", starString(v.Group))
	add(v.Class != solvers.Invalid, "class", starString(v.Class.String()))
	add(v.Message != "", "message", starString(v.Message))
	add(v.Got != smtlib.None, "got", starString(v.Got.String()))
	add(v.Want != smtlib.None, "want", starString(v.Want.String()))
	add(len(v.Targets) > 0, "targets", starList(v.Targets))
	add(len(v.Against) > 0, "against", starList(v.Against))
	arg("verdict", starDict(verdict, 1))
	list := "[\n"
	for _, t := range shownTargets(f) {
		list += "        " + withName(exprs.exprFor(f, &t), t.Name) + ",\n"
	}
	arg("targets", list+"    ]")
	if w := smallestWire(f); w.Trace == "" { // a trace says it in its notes
		if slices.ContainsFunc(w.Expect, func(a string) bool { return a != smtlib.None.String() }) {
			arg("expect", starList(w.Expect))
		}
		if smallestWitness(f) != "" {
			arg("witness", fmt.Sprintf("smt.read_model(%s)", starString(modelFile)))
		}
	}
	if len(f.Sources.Settings) > 0 {
		var settings [][2]string
		for _, k := range slices.Sorted(maps.Keys(f.Sources.Settings)) {
			settings = append(settings, [2]string{k, starString(f.Sources.Settings[k])})
		}
		arg("settings", starDict(settings, 1))
	}
}

// withName gives the expression of a target a name: oracles may go by it.
func withName(expr, name string) string {
	with := "name = " + starString(name) + ")"
	call, ok := strings.CutSuffix(expr, ")")
	if !ok || strings.HasSuffix(expr, with) {
		return expr
	}
	return call + ", " + with
}

func starList(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = starString(w)
	}
	return "[" + strings.Join(out, ", ") + "]"
}

// starDict writes a dict, each entry in a line; the lines of its end are indented by so many levels.
func starDict(entries [][2]string, level int) string {
	indent := strings.Repeat("    ", level)
	out := "{\n"
	for _, e := range entries {
		out += indent + "    " + starString(e[0]) + ": " + e[1] + ",\n"
	}
	return out + indent + "}"
}
