package eval_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/modelreader"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
	"github.com/smtlark/smtlark/internal/processtest"
)

// modelSolver is a binary that prints models.
type modelSolver struct {
	name, path string
	args       []string
	logics     []string // parts of the names of logics that it takes; all if empty
}

// modelSolvers finds solvers on PATH and in .solvers/bin of the checkout.
func modelSolvers(t testing.TB) []modelSolver {
	args := map[string][]string{
		"z3":        {"-in", "-T:4"},
		"cvc5":      {"--produce-models", "--strings-exp", "--fp-exp", "--arrays-exp", "--tlimit=4000", "--lang=smt2"},
		"cvc4":      {"--produce-models", "--strings-exp", "--tlimit=4000", "--lang=smt2"},
		"bitwuzla":  {"--produce-models", "-t", "4000"},
		"boolector": {"--smt2", "-m", "-t=4"},
	}
	logics := map[string][]string{"bitwuzla": {"V", "FP"}, "boolector": {"BV"}}
	var found []modelSolver
	add := func(name, path string) {
		kind, _, _ := strings.Cut(name, "-")
		if a, ok := args[kind]; ok {
			found = append(found, modelSolver{name, path, a, logics[kind]})
		}
	}
	for _, name := range []string{"z3", "cvc5"} {
		path, err := exec.LookPath(name)
		if err != nil {
			require.NotEqual(t, "true", os.Getenv("CI"), "%s is not installed: CI must have it", name)
			continue
		}
		add(name, path)
	}
	paths, _ := filepath.Glob("../../../.solvers/bin/*")
	for _, path := range paths {
		add(filepath.Base(path), path)
	}
	return found
}

// ask runs a solver on a text and returns its output. Replies are kept in SMTLARK_REPLIES if that is set.
func (s modelSolver) ask(t testing.TB, key, text string) string {
	cache := os.Getenv("SMTLARK_REPLIES")
	file := filepath.Join(cache, s.name, strings.ReplaceAll(key, "/", "_"))
	if cache != "" && key != "" {
		if b, err := os.ReadFile(file); err == nil {
			return string(b)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, s.path, s.args...)
	cmd.WaitDelay = time.Second
	cmd.Stdin = strings.NewReader(text)
	var out bytes.Buffer
	cmd.Stdout = &out
	_ = processtest.RunGroup(cmd)
	if cache != "" && key != "" {
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, out.Bytes(), 0o644))
	}
	return out.String()
}

// TestSeedModels checks the models that solvers give for satisfiable seeds.
func TestSeedModels(t *testing.T) {
	dir := os.Getenv("SMTLARK_SEEDS")
	if dir == "" {
		t.Skip("SMTLARK_SEEDS is not set")
	}
	logics := "*"
	if l := os.Getenv("SMTLARK_LOGICS"); l != "" {
		logics = l
	}
	files, err := filepath.Glob(filepath.Join(dir, logics, "sat", "*.smt2"))
	require.NoError(t, err)
	solvers := modelSolvers(t)
	if os.Getenv("SMTLARK_DEEP") == "" { // the whole set takes many minutes of solver time
		sample := files[:0]
		for i := 0; i < len(files); i += 29 {
			if strings.Contains(files[i], "/QF_") { // solvers need all their time for some of the others
				sample = append(sample, files[i])
			}
		}
		files = sample
		solvers = slices.DeleteFunc(solvers, func(s modelSolver) bool { return strings.Contains(s.name, "-") })
	}
	only := os.Getenv("SMTLARK_ONLY")
	counts := map[string]*[5]int{}
	var notes []string
	for _, s := range solvers {
		if only != "" && s.name != only {
			continue
		}
		for _, file := range files {
			logic := filepath.Base(filepath.Dir(filepath.Dir(file)))
			if len(s.logics) > 0 && !slices.ContainsFunc(s.logics, func(l string) bool { return strings.Contains(logic, l) }) {
				continue
			}
			src, err := os.ReadFile(file)
			require.NoError(t, err)
			a := smt.NewArena()
			script, err := smtlib.Parse(file, src, a)
			if err != nil {
				notes = append(notes, fmt.Sprintf("%s: %v", file, err))
				continue
			}
			text := strings.ReplaceAll(string(src), "(exit)", "") + "\n(get-model)\n"
			reply := s.ask(t, logic+"/"+filepath.Base(file), text)
			key := s.name + " " + logic
			if counts[key] == nil {
				counts[key] = &[5]int{}
			}
			n := counts[key]
			n[0]++
			if !strings.Contains("\n"+reply, "\nsat") {
				continue
			}
			_, reply, _ = strings.Cut("\n"+reply, "\nsat")
			n[1]++
			m, err := modelreader.Parse(script, reply)
			if err != nil {
				notes = append(notes, fmt.Sprintf("%s %s: %v", s.name, file, err))
				continue
			}
			v := eval.CheckModel(script, m)
			switch v.Result {
			case value.True:
				n[2]++
			case value.False:
				n[3]++
			default:
				n[4]++
			}
			if v.Result != value.True {
				notes = append(notes, fmt.Sprintf("%s %s: %s", s.name, file, v.String(a)))
			}
		}
	}
	keys := make([]string, 0, len(counts))
	for k := range counts {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		n := counts[k]
		if os.Getenv("SMTLARK_DEEP") == "" { // the sample has no seed on which a solver is known to give a wrong model
			require.Zero(t, n[3], "%s: models that do not satisfy their seed", k)
		}
		t.Logf("%-28s seeds %3d sat %3d: true %3d false %3d unknown %3d", k, n[0], n[1], n[2], n[3], n[4])
	}
	for _, n := range notes {
		t.Log(n)
	}
}
