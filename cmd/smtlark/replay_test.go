package main

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/campaigns"
	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
)

// replayCampaign runs the techniques of the library one after the other, and a mixture of all of them, and prints the
// part, hash and size of each case.
func replayCampaign(names []string) string {
	var b strings.Builder
	for _, name := range names {
		fmt.Fprintf(&b, "load(\"@std//%s.star\", %s = %q)\n", name, "f_"+name, campaigns.FunctionOf(name))
	}
	b.WriteString("\nPARTS = [")
	for _, name := range names {
		fmt.Fprintf(&b, "f_%s(), ", name)
	}
	b.WriteString(`]
PARTS.append(mix({p: i + 1 for i, p in enumerate(PARTS)}, adapt = True))

fake = solver.profile(
    name = "fake", binaries = ["fakesolver"], version_args = ["--version"], version = "version (\\S+)",
    modes = ["fresh", "reset"], has_reset = True, continues_after_error = True, multiline_tokens = True,
)

def technique(seeds, rng):
    part = rng.turn % len(PARTS)
    case = PARTS[part](seeds, rng)
    print("made", rng.turn, "part", part, "hash", hash(case.text), "bytes", len(case.text))
    return case

campaign(technique = technique, seeds = corpus.bundled(), targets = [solver(fake, mode = "reset")])
`)
	return b.String()
}

// TestCasesAreTheSameAgain makes cases of every technique in a campaign with one worker, in one with three, and twice
// by the command that names the case: each time the same bytes. The command is tried for every fourth technique, and
// for all of them with SMTLARK_DEEP.
func TestCasesAreTheSameAgain(t *testing.T) {
	t.Parallel()
	names := campaigns.Techniques()
	require.Subset(t, names, []string{"fusion", "grammar", "opfuzz", "options", "reassembly", "rewrite", "skeleton", "storm", "typefuzz", "weaken"})
	if _, err := exec.LookPath("z3"); err != nil { // whose options those are
		names = slices.DeleteFunc(names, func(name string) bool { return name == "options" })
	}
	names = slices.DeleteFunc(names, func(name string) bool { return name == "sygus" }) // for cvc5 only
	parts := len(names) + 1
	cases := 4 * parts
	if testing.Short() {
		cases = 2 * parts
	}
	dir := fakeProject(t, "replay.star", replayCampaign(names))
	made := regexp.MustCompile(`made (\d+) part (\d+) hash -?\d+ bytes \d+`)
	campaign := func(workers int) []string {
		cmd := smtlarkIn(dir, "run", "replay.star", "--seed", "5", "--fresh", "--cases", fmt.Sprint(cases), "-j", fmt.Sprint(workers), "--out", fmt.Sprintf("out%d", workers))
		cmd.Env = append(cmd.Env, "XDG_CACHE_HOME="+t.TempDir())
		out, _ := cmd.CombinedOutput()
		require.Contains(t, []int{command.ExitOK, command.ExitFindings, command.ExitFlaky}, cmd.ProcessState.ExitCode(), string(out))
		lines := made.FindAllString(string(out), -1)
		slices.Sort(lines)
		return slices.Compact(lines) // one that was confirmed is made again
	}
	one := campaign(1)
	require.Greater(t, len(one), cases*2/3)
	require.Equal(t, one, campaign(3))

	seen := map[string]bool{}
	for _, line := range one {
		m := made.FindStringSubmatch(line)
		if seen[m[2]] {
			continue
		}
		seen[m[2]] = true
		if part, _ := strconv.Atoi(m[2]); (part%4 != 2 || testing.Short() && part > 4) && os.Getenv("SMTLARK_DEEP") == "" {
			continue
		}
		var first []byte
		for range 2 {
			cmd := smtlarkIn(dir, "run", "replay.star", "--seed", "5", "--case", m[1], "--print")
			cmd.Env = append(cmd.Env, "XDG_CACHE_HOME="+t.TempDir())
			var said strings.Builder
			cmd.Stderr = &said
			text, err := cmd.Output()
			require.NoError(t, err, said.String())
			require.Contains(t, said.String()+string(text), line, "as in the campaign")
			if first == nil {
				first = text
			}
			require.Equal(t, string(first), string(text))
		}
	}
	for i := range parts {
		require.True(t, seen[strconv.Itoa(i)], "no case of %s", append(names, "mix")[i])
	}
}
