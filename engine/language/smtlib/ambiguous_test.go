package smtlib_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// parametric declares datatypes whose constructors leave their sort open, and constants and functions for the tests.
const parametric = `(set-logic ALL)
(declare-datatypes ((Opt 1) (Lst 1) (Either 2)) (
  (par (X) ((none) (some (it X))))
  (par (T) ((nil) (cons (hd T) (tl (Lst T)))))
  (par (A B) ((left (l A)) (right (r B))))))
(declare-const o (Opt Int))
(declare-const e (Either Int Bool))
(declare-const s (Seq Int))
(declare-const t (Set Int))
(declare-const b (Bag Int))
(declare-const a (Array Int (Opt Int)))
(declare-fun f ((Opt Int) (Lst Bool)) Bool)
`

// TestSortsFromNowhere: where nothing tells the sort, the constant is the error, at its place.
func TestSortsFromNowhere(t *testing.T) {
	for text, want := range map[string]string{
		"(assert (= none none))":                   "13:12: none: needs its sort as in (as none SORT), given none",
		"(assert (exists ((x Int)) (= nil nil)))":  "13:30: nil: needs its sort",
		"(assert (= (left 1) (left 2)))":           "13:13: left: needs its sort",
		"(assert (= seq.empty seq.empty))":         "13:12: seq.empty: needs its sort as in (as seq.empty SORT), given none",
		"(assert (= (cons 1 none) (cons 1 none)))": "13:20: none: needs its sort",
		"(assert (= o nil))":                       "13:14: nil: needs its sort",
		"(define-fun g () (Opt Int) nil)":          "13:28: nil: needs its sort",
	} {
		_, err := smtlib.Parse("in", []byte(parametric+text), smt.NewArena())
		require.ErrorContains(t, err, want, text)
	}
	for _, text := range []string{"(define-fun g () (Opt Int) none)", "(define-const g (Lst (Opt Int)) (cons none nil))",
		"(define-fun-rec g ((x Int)) (Opt Int) (ite (> x 1) (g (- x 1)) none))", "(define-fun g () (Seq Int) (seq.++ seq.empty seq.empty))"} {
		_, err := smtlib.Parse("in", []byte(parametric+text), smt.NewArena())
		require.NoError(t, err, text)
	}
}

// TestValuesWithoutSorts: a value of any sort that is printed without `as`, as z3 does, is the same one where its sort
// is known.
func TestValuesWithoutSorts(t *testing.T) {
	qualified := regexp.MustCompile(`\(as (\S+) (?:[^()]|\((?:[^()]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))*\))*\)`)
	rapid.Check(t, func(t *rapid.T) {
		arena := smt.NewArena()
		script, err := smtlib.Parse("", []byte(parametric), arena)
		require.NoError(t, err)
		scope := script.Scope()
		defer scope.Close()
		var sort func(depth int) string
		sort = func(depth int) string {
			kinds := []string{"Int", "Bool", "Opt", "Lst", "Either", "Seq"}
			if depth == 0 {
				kinds = kinds[:2]
			}
			switch kind := rapid.SampledFrom(kinds).Draw(t, "sort"); kind {
			case "Int", "Bool":
				return kind
			case "Either":
				return "(Either " + sort(depth-1) + " " + sort(depth-1) + ")"
			default:
				return "(" + kind + " " + sort(depth-1) + ")"
			}
		}
		var value func(s smt.Sort, depth int) string
		value = func(s smt.Sort, depth int) string {
			text, args := arena.SortString(s), arena.SortArgs(s)
			choose := rapid.IntRange(0, 2).Draw(t, "value")
			if depth == 0 {
				choose = 0
			}
			switch head, _, _ := strings.Cut(strings.TrimPrefix(text, "("), " "); {
			case text == "Int":
				return "7"
			case text == "Bool":
				return "true"
			case head == "Either" && choose == 0:
				return "((as left " + text + ") " + value(args[0], depth-1) + ")"
			case head == "Either":
				return "((as right " + text + ") " + value(args[1], depth-1) + ")"
			case head == "Opt" && choose == 0:
				return "(as none " + text + ")"
			case head == "Opt":
				return "(some " + value(args[0], depth-1) + ")"
			case head == "Lst" && choose == 0:
				return "(as nil " + text + ")"
			case head == "Lst":
				return "(cons " + value(args[0], depth-1) + " " + value(s, depth-1) + ")"
			case choose == 0:
				return "(as seq.empty " + text + ")"
			case choose == 1:
				return "(seq.unit " + value(args[0], depth-1) + ")"
			default:
				return "(seq.++ " + value(s, depth-1) + " " + value(s, depth-1) + ")"
			}
		}
		of, err := scope.Sort(sort(3))
		require.NoError(t, err)
		text := value(of, 4)
		want, err := scope.Term(text)
		require.NoError(t, err, text)
		bare := qualified.ReplaceAllString(text, "$1")
		got, err := scope.TermAt(bare, of)
		require.NoError(t, err, bare)
		require.Equal(t, want, got, "%s\n%s", text, bare)
	})
}
