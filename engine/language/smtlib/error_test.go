package smtlib

import (
	"fmt"
	"strings"
	"testing"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const errorDecls = `(declare-fun x () Int)
(declare-fun v () (_ BitVec 8))
(declare-fun f (Int Bool) Int)
(declare-datatypes ((L 1)) ((par (T) ((nil) (cons (hd T) (tl (L T)))))))
(declare-fun l () (L Int))
`

// The text of an error behind those declarations: the line at fault, a caret under the place, and the message.
const errorCases = `
(assert (bvadd v #b1))
                 ^ bvadd: argument 2 has sort (_ BitVec 1), expected (_ BitVec 8): #b1
(assert (and true (or (not x) false)))
                           ^ not: argument 1 has sort Int, expected Bool: x
(assert (= x v))
             ^ =: argument 2 has sort (_ BitVec 8), expected Int: v
(assert (f x))
         ^ f: takes 2 arguments, given 1
(assert (= 1 (f true x)))
                ^ f: argument 1 has sort Bool, expected Int: true
(assert (= 1 (f x (f x true))))
                  ^ f: argument 2 has sort Int, expected Bool: (f x true)
(assert x)
        ^ assert: the term has sort Int, expected Bool: x
(assert (< x y))
             ^ unknown constant y: neither declared nor an operator
(assert (= v ((_ extract 8 0) v)))
                 ^ extract: index out of range: [i j] BV(m) -> BV(i-j+1) where j<=i i<m, given i=8 j=0 m=8
(assert (forall ((z Int)) z))
                          ^ forall: argument 2 has sort Int, expected Bool: z
(assert (forall ((z Foo)) true))
                    ^ unknown sort Foo
(assert (let ((a 1) (b a)) true))
                       ^ unknown constant a: neither declared nor an operator
(declare-fun g (Int) (Array Int))
                      ^ sort Array takes 2 arguments, given 1
(declare-fun g () (_ BitVec 0))
                  ^ the index of BitVec is out of range
(declare-const and3 (_ FloatingPoint 8))
                    ^ sort FloatingPoint takes 2 indices, given 1
(declare-fun let () Int)
             ^ the reserved word let cannot be declared
(define-fun g () Bool 3)
                      ^ the body of g has sort Int, declared is Bool
(define-fun-rec g ((n Int)) Bool (+ 1 (g n)))
                                      ^ +: argument 2 has sort Bool, expected Int: (g n)
(assert (= nil nil))
           ^ nil: needs its sort as in (as nil SORT), given none
(assert (= l (as nil (L Bool))))
             ^ =: argument 2 has sort (L Bool), expected (L Int): nil
(assert (= l (as nil Int)))
                 ^ nil: has sort (L T), given Int
(assert ((_ is foo) l))
            ^ is: foo is no constructor
(assert (match l ((nil true))))
         ^ match: a pattern for every constructor of L, given none for cons
(assert (match l ((nil true) ((foo a) false))))
                               ^ match: foo is no constructor of (L Int)
(assert (match l ((nil true) ((cons a) false))))
                               ^ match: pattern of cons takes 2 variables, given 1
(assert (match l ((nil true) (z 1))))
                                ^ match: argument 3 has sort Int, expected Bool: 1
(declare-datatype M ((a (s Int)) (b (t Foo))))
                                       ^ unknown sort Foo
(declare-datatypes ((M 1)) (((a))))
                       ^ the arity of M is 1, but its description has 0 parameters
(declare-datatypes ((M 0) (N 0)) (((a))))
                                 ^ 2 datatypes are named and 1 described
(assert (= x 1)
^ this ( has no )
(assert (= x (+ 1 2))
^ this ( has no )
(assert "abc)
        ^ string without closing "
(assert |abc)
        ^ quoted symbol without closing |
(assert #b12)
        ^ ´#b12´ is no literal; #b takes binary and #x hexadecimal digits
(assert (= x 12a))
             ^ ´12a´ is no number
(assert ())
         ^ expected an operator, found ´)´
(assert true false)
             ^ expected ´)´ of assert, found ´false´
(assert)
       ^ expected a term, found ´)´
(pop 1)
     ^ pop of 1 levels where there are 0
(pop)
    ^ pop without push
(set-info status sat)
          ^ expected a keyword such as :status, found ´status´
hello
^ expected a command, found ´hello´
(assert true))
             ^ expected a command, found ´)´
(declare-sort S x)
                ^ expected the arity, found ´x´
(assert (! true :named))
                      ^ expected a name, found ´)´
(assert (! true named))
                ^ expected a keyword such as :named, or ´)´, found ´named´
(assert (= "\u{3FFFF}" "a"))
            ^ this escape names no character of SMT-LIB: code points go up to 2FFFF
(assert (_ bv1 0))
           ^ the width of a bit vector goes from 1 to 16777216
(assert (let x true))
             ^ expected the ´(´ of a list of bindings, found ´x´
(assert (as x Bool))
            ^ x: has sort Int, given Bool
`

func TestErrors(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(errorCases), "\n")
	for i := 0; i+1 < len(lines); i += 2 {
		line, place := lines[i], strings.ReplaceAll(lines[i+1], "´", "`")
		col := strings.Index(place, "^")
		_, err := Parse("case.smt2", []byte(errorDecls+line+"\n"), smt.NewArena())
		require.Error(t, err, line)
		require.IsType(t, &Error{}, err)
		want := &Error{File: "case.smt2", Line: 6, Col: col + 1, Msg: place[col+2:], SourceLine: line}
		assert.Equal(t, want.Error(), err.Error())
	}
}

func TestErrorText(t *testing.T) {
	_, err := Parse("dir/a.smt2", []byte("(declare-const x Int)\r\n\t(assert (not x))\r\n"), smt.NewArena())
	require.EqualError(t, err, `dir/a.smt2:2:15: not: argument 1 has sort Int, expected Bool: x
   (assert (not x))
                ^`)
	_, err = Parse("a", []byte("(assert true)"+strings.Repeat(" ", 500)+"x"+strings.Repeat("y", 500)), smt.NewArena())
	require.EqualError(t, err, "a:1:514: expected a command, found `x"+strings.Repeat("y", 39)+"`\n  …"+strings.Repeat(" ", 100)+"x"+
		strings.Repeat("y", 56)+"…\n  "+strings.Repeat(" ", 101)+"^")
}

// Sorts that a few definitions blow up are refused where they are made, and so are many uses of a large one.
func TestSortsThatGrow(t *testing.T) {
	var doubled, nested, often strings.Builder
	doubled.WriteString("(define-sort S0 () Int)\n")
	nested.WriteString("(define-sort S0 (X) (Array X X))\n")
	for i := 1; i < 60; i++ {
		fmt.Fprintf(&doubled, "(define-sort S%d () (Array S%d S%d))\n", i, i-1, i-1)
		fmt.Fprintf(&nested, "(define-sort S%d (X) (S%d (S%d X)))\n", i, i-1, i-1)
	}
	often.WriteString(strings.Join(strings.SplitAfter(doubled.String(), "\n")[:15], ""))
	for i := range 300 {
		fmt.Fprintf(&often, "(declare-const x%d S14)\n", i)
	}
	for text, want := range map[string]string{
		doubled.String(): "t:17:22: written out, the sort has 131071 parts; at most 65536 are taken",
		nested.String():  "t:5:22: written out, the sort has",
		often.String():   "written out, the defined sorts of the script have more than 4194304 parts",
	} {
		_, err := Parse("t", []byte(text), smt.NewArena())
		require.ErrorContains(t, err, want)
		require.Less(t, len(err.Error()), 1000)
	}
	_, err := Parse("t", []byte(strings.Join(strings.SplitAfter(often.String(), "\n")[:40], "")), smt.NewArena())
	require.NoError(t, err)

	// A datatype over itself: each selector makes the sort of its result larger.
	selectors := "(declare-datatypes ((D 1)) ((par (X) ((leaf) (node (f (D (Array X X))))))))\n(declare-const d (D Int))\n(assert (= " +
		strings.Repeat("(f ", 60) + "d" + strings.Repeat(")", 60) + " leaf))"
	_, err = Parse("t", []byte(selectors), smt.NewArena())
	require.Error(t, err)
	require.Less(t, len(err.Error()), 10000)
}

// TestErrorsLeaveNoTrace: a broken datatype does not stay in the arena, where the same text would find it complete.
func TestErrorsLeaveNoTrace(t *testing.T) {
	a := smt.NewArena()
	broken := []byte("(declare-datatypes ((A 0) (B 0)) (((a (s B))) ((b (t Foo)))))")
	_, err1 := Parse("t", broken, a)
	_, err2 := Parse("t", broken, a)
	require.Error(t, err1)
	require.Equal(t, err1, err2)
	_, err := Parse("t", []byte("(declare-datatypes ((A 0) (B 0)) (((a (s B))) ((b (t Int)))))"), a)
	require.NoError(t, err)
}

// TestEveryPrefix: no prefix of a script makes the parser panic, and each is an error or a shorter script.
func TestEveryPrefix(t *testing.T) {
	src := []byte(errorDecls + `(set-info :a |b|)(define-fun-rec g ((n Int)) Int (let ((m (- n 1))) (! (g m) :named q)))
(assert (match l ((nil (exists ((z Int)) (! (= z ((_ to_fp 8 24) RNE 0.5)) :pattern ((g z) x)))) ((cons _ t) ((_ is nil) t)))))`)
	for i := range src {
		_, err := Parse("t", src[:i], smt.NewArena())
		if err != nil {
			require.IsType(t, &Error{}, err)
		}
	}
}
