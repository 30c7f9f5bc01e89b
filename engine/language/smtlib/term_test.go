package smtlib

import (
	"strings"
	"testing"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/stretchr/testify/require"
)

// Terms by theory: the declarations they need, then one term a line, as it is read => as it is printed.
var termCases = []struct{ name, decls, terms string }{
	{"Core", "(declare-fun p () Bool) (declare-fun q () Bool) (declare-sort U 0) (declare-fun u () U) (declare-fun f (U U) U)", `
		(=> p q p)
		(and p)=>p
		(or q)=>q
		(implies p q)=>(=> p q)
		(if p q p)=>(ite p q p)
		(xor p q true false)
		(distinct u (f u u))
		(= u u (f (f u u) u))
		(as p Bool)=>p
		(as u U)=>u
		(let ((p q) (q p)) (=> p q))=>(let ((p q) (q p)) (=> p q))
		(let ((x p)) (let ((x (not x)) (y x)) (and x y)))=>(and (not p) p)
		(let ((and p)) (or and q))=>(or p q)`},
	{"Arithmetic", "(declare-fun n () Int) (declare-fun x () Real) (declare-fun f (Real) Real)", `
		(- n 1 2)
		(- 5)
		(- n)
		(+ x 1 n)=>(+ x 1.0 (to_real n))
		(/ 1 3)=>(/ 1.0 3.0)
		(= n 1 x)=>(= (to_real n) 1.0 x)
		(ite true 1 x)=>(ite true 1.0 x)
		(f 3)=>(f 3.0)
		(f (- 3))=>(f (- 3.0))
		(f n)=>(f (to_real n))
		(< 1 2 3)
		(* 2.50 x 0.0)=>(* 2.5 x 0.0)
		123456789012345678901234567890
		0.1234567890123456789012345678901234567890=>0.123456789012345678901234567890123456789
		((_ divisible 3) n)
		((_ divisible 123456789012345678901234567890) n)
		(^ n 2)
		((_ iand 4) n 3)
		(to_int x)
		(sin real.pi)`},
	{"Sorts from the place", `(declare-datatypes ((Opt 1) (Lst 1) (Either 2)) ((par (X) ((none) (some (it X)))) (par (T) ((nil) (cons (hd T) (tl (Lst T)))))
		(par (A B) ((left (l A)) (right (r B)))))) (declare-const o (Opt Int)) (declare-const e (Either Int Bool)) (declare-const s (Seq Int)) (declare-const t (Set Int))
		(declare-const b (Bag Int)) (declare-const a (Array Int (Opt Int))) (declare-fun f ((Opt Int) (Lst Bool)) Bool)`, `
		(= o none)=>(= o (as none (Opt Int)))
		(= none o)=>(= (as none (Opt Int)) o)
		(distinct none none o)=>(distinct (as none (Opt Int)) (as none (Opt Int)) o)
		(f none nil)=>(f (as none (Opt Int)) (as nil (Lst Bool)))
		(= (cons 1 nil) nil)=>(= ((as cons (Lst Int)) 1 (as nil (Lst Int))) (as nil (Lst Int)))
		(= (cons o nil) (cons none nil))=>(= ((as cons (Lst (Opt Int))) o (as nil (Lst (Opt Int)))) ((as cons (Lst (Opt Int))) (as none (Opt Int)) (as nil (Lst (Opt Int)))))
		(= (some none) (some o))=>(= ((as some (Opt (Opt Int))) (as none (Opt Int))) ((as some (Opt (Opt Int))) o))
		(= e (left 1))=>(= e ((as left (Either Int Bool)) 1))
		(= (ite true none none) o)=>(= (ite true (as none (Opt Int)) (as none (Opt Int))) o)
		(let ((x none)) (= x o))=>(= (as none (Opt Int)) o)
		(= a (store a 1 none))=>(= a (store a 1 (as none (Opt Int))))
		(= a ((as const (Array Int (Opt Int))) none))=>(= a ((as const (Array Int (Opt Int))) (as none (Opt Int))))
		(= ((as some (Opt (Opt Int))) none) (some o))=>(= ((as some (Opt (Opt Int))) (as none (Opt Int))) ((as some (Opt (Opt Int))) o))
		(= o (match o ((none none) ((some x) (some (+ x 1))))))=>(= o (match o ((none (as none (Opt Int))) ((some x) ((as some (Opt Int)) (+ x 1))))))
		(= o (match o (((some x) (some (+ x 1))) (none none))))=>(= o (match o (((some x) ((as some (Opt Int)) (+ x 1))) (none (as none (Opt Int))))))
		(= o (match o ((none none) ((some x) none))))=>(= o (match o ((none (as none (Opt Int))) ((some x) (as none (Opt Int))))))
		(exists ((x (Opt Int))) (= x none))=>(exists ((x (Opt Int))) (= x (as none (Opt Int))))
		(= s seq.empty)=>(= s (as seq.empty (Seq Int)))
		(= (seq.++ seq.empty s seq.empty) s)=>(= (seq.++ (as seq.empty (Seq Int)) s (as seq.empty (Seq Int))) s)
		(= t (set.union set.empty (set.insert 1 set.empty)))=>(= t (set.union (as set.empty (Set Int)) (set.insert 1 (as set.empty (Set Int)))))
		(= b (bag.union_max bag.empty b))=>(= b (bag.union_max (as bag.empty (Bag Int)) b))
		(set.subset (set.inter set.empty set.empty) t)=>(set.subset (set.inter (as set.empty (Set Int)) (as set.empty (Set Int))) t)`},
	{"What z3 and cvc5 read beside", `(declare-const p Bool) (declare-const x Int) (declare-const r Real) (declare-const u Real) (declare-const v (_ BitVec 8)) (declare-const s String)
		(declare-fun f (Int) Int) (declare-fun f2 (Int Int) Int) (declare-const g (=> Int Bool)) (declare-const h (=> Int Int Bool)) (declare-const a (Array Int Int))
		(declare-const k (-> Int (-> Int Int))) (declare-const l (-> Int Int Int)) (declare-const z Unicode) (declare-const q (Seq Unicode))`, `
		(distinct x)=>true
		(xor p)=>p
		(<= x)=>true
		(> r)=>true
		(= (bvadd v) (bvor v) (bvxor v))=>(= v v v)
		(concat v)=>v
		(bvxnor v)=>(bvnot v)
		(div x)=>x
		(= x)=>error
		(=> p)=>error
		(bvsub v)=>error
		(distinct p x)=>error
		(<= p)=>error
		(div r u)=>(div (to_int r) (to_int u))
		(mod r 2)=>(mod (to_int r) 2)
		(rem 5.5 2.0)=>(rem (to_int 5.5) (to_int 2.0))
		(to_real r)=>r
		12.=>12.0
		(g 1)=>(select g 1)
		(h 1 2)=>(select (select h 1) 2)
		(select f 1)=>(f 1)
		(select f2 1 2)=>(f2 1 2)
		(select k 1)=>(k 1)
		(= (store f 1 2) a)=>(= (store (_ as-array f) 1 2) a)
		(= k l)
		(forall ((x Int) (x Bool)) x)=>(forall ((x Bool)) x)
		(exists ((x Bool) (y Int) (x Int)) (> x y))=>(exists ((y Int) (x Int)) (> x y))
		(lambda ((x Bool) (x Int)) x)=>(lambda ((_!1 Bool) (x Int)) x)
		((_ to_fp 8 24) RNE 1.5 3)=>((_ to_fp 8 24) RNE 12.0)
		((_ to_fp 8 24) RNE 3 1.5)=>((_ to_fp 8 24) RNE 12.0)
		((_ to_fp 8 24) RTP 1.5 (- 3))=>((_ to_fp 8 24) RTP 0.1875)
		((_ to_fp 8 24) RTP (/ 1 3) 2)=>((_ to_fp 8 24) RTP (* 4.0 (/ 1.0 3.0)))
		((_ to_fp 8 24) RNE r 0)=>((_ to_fp 8 24) RNE r)
		((_ to_fp 8 24) RNE 1.5 x)
		((_ to_fp 8 24) RNE 2 2)=>error
		((_ to_fp 3 5) #b1 #b101 #x3)=>(fp #b1 #b101 #x3)
		((_ to_fp 3 6) #b1 #b101 #x3)=>error
		(seq.len s)=>(str.len s)
		(seq.++ s "b" q)=>(str.++ s "b" q)
		(seq.extract s 0 1)=>(str.substr s 0 1)
		(seq.prefixof "a" s)=>(str.prefixof "a" s)
		(as seq.empty String)=>""
		(as seq.empty (Seq Unicode))=>""
		(= (seq.nth s 0) z)
		(= (seq.unit z) s)
		(= (seq.last_indexof s "b") 1)
		(char.<= z (char.from_bv #b000000000001000001))
		(= (char.to_int z) 65)
		(char.foo z)
		(char.is_digit z z)
		(= (seq.map (lambda ((c Unicode)) c) s) s)
		(= (seq.foldl (lambda ((i Int) (c Unicode)) (+ i 1)) 0 s) x)`},
	{"BitVectors", "(declare-fun v () (_ BitVec 8)) (declare-fun w () (_ BitVec 3))", `
		(bvadd v #x01 (_ bv255 8))=>(bvadd v #x01 #xff)
		#b101
		#XFF=>error
		#xAbCd=>#xabcd
		(_ bv18446744073709551616 65)=>#b10000000000000000000000000000000000000000000000000000000000000000
		(_ bv0 64)=>#x0000000000000000
		((_ extract 5 2) (concat v w))
		((_ zero_extend 0) w)
		((_ rotate_left 9) w)
		((_ repeat 2) w)
		(bvnego v)
		(bvsmulo v v)
		(bv2nat v)
		(ubv_to_int v)=>(bv2nat v)
		((_ int2bv 4) 3)
		((_ int_to_bv 4) 3)=>((_ int2bv 4) 3)
		(bvredor v)
		(bvcomp v v)`},
	{"FloatingPoint", "(declare-fun x () Float32) (declare-fun h () (_ FloatingPoint 5 11)) (declare-fun r () RoundingMode)", `
		(fp #b0 #x7f #b00000000000000000000000)
		(_ +oo 8 24)
		(_ -zero 5 11)
		(as (_ NaN 8 24) Float32)=>(_ NaN 8 24)
		(fp.fma roundTowardZero x x x)=>(fp.fma RTZ x x x)
		((_ to_fp 8 24) r h)
		((_ to_fp 8 24) RNE 0.1)
		((_ to_fp 8 24) RNE (/ 1 10))=>((_ to_fp 8 24) RNE (/ 1.0 10.0))
		((_ to_fp 8 24) #x00000000)
		((_ to_fp_unsigned 8 24) r #x01)
		((_ fp.to_ubv 9) r h)
		(fp.to_real x)
		(fp.lt x x x)`},
	{"Strings", "(declare-fun s () String)", `
		(str.++ s "a""b" "\u{1F}\u0041\u{2FFFF}\x41\u{}")=>(str.++ s "a""b" "\u{1f}A\u{2ffff}\x41\u{5c}u{}")
		(_ char #x41)=>"A"
		(str.in.re s (re.loop (str.to.re "a") 1 3))=>(str.in_re s (re.loop (str.to_re "a") 1 3))
		(str.in_re s ((_ re.loop 1 3) re.allchar))
		(str.in_re s (re.diff re.all (re.comp re.none)))
		(str.in_re s ((_ re.^ 3) (re.range "a" "z")))
		(str.replace_re_all s re.allchar "")
		(str.< s s "b")
		(str.rev s)`},
	{"Arrays", "(declare-fun a () (Array Int Real)) (declare-fun m () (Array Int (Array Int Bool)))", `
		(select (store a 1 2) 3)=>(select (store a 1 2.0) 3)
		((as const (Array Int Real)) 0)=>((as const (Array Int Real)) 0.0)
		(select (select m 0) 1)
		(= a (lambda ((i Int)) 1.0))
		((lambda ((i Int) (j Int)) true) 1)=>(select (lambda ((i Int) (j Int)) true) 1)
		((_ as-array f) 3)`},
	{"Datatypes", `(declare-datatypes ((List 1)) ((par (X) ((nil) (cons (head X) (tail (List X)))))))
		(declare-datatype E ((left (l Int)) (right (r Bool)))) (declare-datatypes ((Either 2)) ((par (A B) ((inl (getl A)) (inr (getr B))))))
		(declare-fun xs () (List Int)) (declare-fun e () E)`, `
		(as nil (List Int))
		(cons 1 (as nil (List Int)))=>((as cons (List Int)) 1 (as nil (List Int)))
		((as cons (List Int)) 1 xs)
		((as inl (Either Int Bool)) 1)
		(head (tail xs))
		((_ is nil) xs)
		(is-cons xs)=>((_ is cons) xs)
		((_ is (cons (Int (List Int)) (List Int))) xs)=>((_ is cons) xs)
		((_ update head) xs 3)
		(match xs ((nil 0) ((cons h t) (+ h 1))))
		(match e (((left x) x) (_ 0)))=>(match e (((left x) x) (_!1 0)))
		(match xs ((nil 0) ((cons _ _) 1)))=>(match xs ((nil 0) ((cons _!1 _!2) 1)))
		(match xs (((cons nil t) nil) (y 7)))
		(match (match e (((left x) xs) ((right x) xs))) ((nil 0) ((cons x xs) (match xs ((nil x) ((cons x t) (+ x x)))))))`},
	{"Quantifiers", "(declare-fun f (Int) Int) (declare-fun x () Int)", `
		(forall ((x Int) (y Bool)) (=> y (= (f x) x)))
		(exists ((x Int)) (and (= x 1) (forall ((x Int)) (= x 2))))
		(forall ((x Int)) (exists ((x Bool)) x))
		(forall ((x Int)) (! (= (f x) 0) :pattern ((f x)) :pattern ((f (f x)) x) :qid |my id| :weight 5))
		(forall ((x Int)) (! (= (f x) 0) :no-pattern (f x) :skolemid s))
		(forall () (= x x))=>(= x x)
		(forall ((and Int)) (= and 1))
		(forall ((f Int)) (= f 1))`},
	{"Sequences", "(declare-fun s () (Seq Int))", `
		(seq.++ s (seq.unit 1) (as seq.empty (Seq Int)))
		(seq.nth s 0)
		(= (seq.len s) (seq.indexof s s 0))`},
	{"Sets", "(declare-fun s () (Set Int)) (declare-fun b () (Bag Int)) (declare-fun k () (_ FiniteField 17))", `
		(set.insert 1 2 (as set.empty (Set Int)))
		(set.member 1 (set.union s s (set.singleton 2)))
		(as set.universe (Set Int))
		(as emptyset (Set Int))=>(as set.empty (Set Int))
		(bag.count 1 (bag 2 3))
		(bag.union_disjoint b (as bag.empty (Bag Int)))
		(ff.mul k (as ff3 (_ FiniteField 17)) (as ff-1 (_ FiniteField 17)))=>(ff.mul k (as ff3 (_ FiniteField 17)) (as ff16 (_ FiniteField 17)))
		#f5m11=>(as ff5 (_ FiniteField 11))`},
	{"HigherOrder", "(set-logic HO_ALL)(declare-fun f () (-> Int Int Bool)) (declare-fun g ((-> Int Int)) Int)", `
		(f 1 2)=>(@ (f 1) 2)
		((f 1) 2)=>(@ (f 1) 2)
		(let ((x (f 1))) (= (x 1) (x 2)))=>(let ((?1 (f 1))) (= (@ ?1 1) (@ ?1 2)))
		(exists ((f Int) (h (-> Int Int))) (= (h (h f)) (@ h 2) 3))=>(exists ((f Int) (h (-> Int Int))) (= (h (h f)) (h 2) 3))
		(g (lambda ((x Int)) (+ x 1)))
		f=>f`},
	{"Functions", "(set-logic HO_ALL)(declare-fun h (Int Int) Int) (declare-fun k (Int) Int)(define-fun d ((x Int)) Int x) (declare-fun g ((-> Int Int)) Int)", `
		(h 1)=>(@ h 1)
		(@ h 1 2)=>(@ (@ h 1) 2)
		(= (h 1) k d)=>(= (@ h 1) k d)
		(g k)
		(let ((k 1)) (@ h k))=>(@ h 1)
		(exists ((k Int)) (= (g d) k))
		(@ k true)=>error
		(@ 1 2)=>error
		(g h)=>error`},
	{"NoFunctions", "(declare-fun k (Int) Int)(declare-fun k2 (Int Int) Int)", `
		(= k k)
		(distinct k (lambda ((x Int)) x))=>(distinct (_ as-array k) (lambda ((x Int)) x))
		(> k 1)=>error
		(= (k2 1) k)=>error
		((k) 1)=>error`},
	{"FunctionResults", "(set-logic HO_ALL)(declare-fun f (Int) (-> Int Int))(define-fun g ((x Int)) (-> Int Int) (f x))", `
		(g 1 2)=>(@ (g 1) 2)
		(f 1 2)=>(@ (f 1) 2)
		(g 1 2 3)=>error`},
	{"LambdasAreArrays", "(set-logic HO_ALL)(declare-const a (Array Int Int))(declare-const b (Array Int Bool Int))(declare-fun h ((Array Int Int)) Int)", `
		(= a (lambda ((i Int)) i))
		(h (lambda ((i Int)) i))
		(select (lambda ((i Int)) i) 3)
		(= b (lambda ((i Int) (j Bool)) i))
		(= a (lambda ((i Bool)) 1))=>error`},
	{"SeveralIndices", "(declare-const a (Array Int Bool Int))", `
		(select a 1 true)=>(select (select a 1) true)
		(store a 1 true 2)=>(store a 1 (store (select a 1) true 2))
		((as const (Array Int Bool Int)) ((as const (Array Bool Int)) 0))=>((as const (Array Int (Array Bool Int))) ((as const (Array Bool Int)) 0))
		(select a 1 2)=>error
		(store a 1 true)=>error`},
	{"OwnBinders", "(declare-fun p (Int) Bool)(declare-fun q (Int Int) Bool)", `
		(p (choice ((x Int)) (p x)))
		(p (witness ((x Int)) (q x (+ x 1))))
		(p (choice ((x Int)) (let ((y (+ (* x x) 12345678901))) (q y y))))=>(p (choice ((x Int)) (let ((?1 (+ (* x x) 12345678901))) (q ?1 ?1))))
		(exists ((x Int)) (p (choice ((x Int)) (q x 1))))
		(set.comprehension ((x Int) (y Bool)) (=> y (p x)) (+ x 1))
		(set.card (set.comprehension ((x Int)) (exists ((z Int)) (q x z)) x))
		(choice ((x Int)) x)=>error
		(choice ((x Int) (y Int)) true)=>error
		(set.comprehension ((x Int)) x true)=>error
		(set.comprehension ((x Int)) true)=>error
		(choice 1)=>error`},
	{"DeclaredOwnBinders", "(declare-fun choice (Int) Int)(declare-fun witness () Int)", `
		(choice 1)
		(choice witness)`},
	{"SortsOfSolvers", "(declare-sort L 0)(declare-fun f ((L) (Int)) (L))(declare-const n (Nullable Int))(declare-const t (Table Int String))", `
		(exists ((x L)) (= (f (f x 1) 2) x))
		(nullable.is_null n)
		(= (bag.card t) 2)`},
	{"NumbersOfSolvers", "(declare-const -7 Int)(declare-const x Real)(declare-fun f (Int) Int)", `
		(f -3)=>(f (- 3))
		(f -7)
		(= x -1.5)=>(= x (- 1.5))
		(= x 1/3)=>(= x (/ 1.0 3.0))
		(= x -2/6)=>(= x (- (/ 1.0 3.0)))
		(= x 1/0)=>error
		(f -)=>error
		(f -3a)=>error
		(= x 1/-3)=>error`},
	{"StringsOverSequences", "(declare-const s (Seq Int))", `
		(str.len s)=>(seq.len s)
		(str.++ s s)=>(seq.++ s s)
		(str.update s 0 s)=>(seq.update s 0 s)
		(str.contains s (seq.unit 1))=>(seq.contains s (seq.unit 1))
		(str.substr s 0 1)=>(seq.extract s 0 1)
		(str.to_int s)=>error`},
	{"ArraysOfFunctions", "(declare-fun k (Int) Int)(declare-fun h (Int Bool) Int)(declare-const a (Array Bool Int))(declare-const b (Array Bool Bool))", `
		(select (_ as-array k) 1)
		((_ as-array k) 1)=>(select (_ as-array k) 1)
		((_ map k) a)
		((_ map h) ((_ map k) a) b)
		(select ((_ map h) a b) true)`},
	{"UserNames", "(declare-fun sin (Int) Int)(declare-fun abs () Int)(declare-fun g (Int) Int)(declare-fun g (Bool) Bool)(declare-fun lambda () Real)", `
		(sin 1)
		(sin 1.0)
		(abs (- 1))
		(+ abs 1)
		(g (= (g 1) 2))
		(g (g true))
		(= lambda 1)=>(= |lambda| 1.0)`},
}

func TestTerms(t *testing.T) {
	for _, c := range termCases {
		t.Run(c.name, func(t *testing.T) {
			for _, line := range strings.Split(strings.TrimSpace(c.terms), "\n") {
				term, want, differs := strings.Cut(strings.TrimSpace(line), "=>")
				if !differs || strings.HasPrefix(term, "(") && strings.Count(term, "(") != strings.Count(term, ")") {
					term, want = strings.TrimSpace(line), strings.TrimSpace(line) // the operator => itself
				}
				if i := strings.LastIndex(strings.TrimSpace(line), ")=>"); i >= 0 {
					term, want = strings.TrimSpace(line)[:i+1], strings.TrimSpace(line)[i+3:]
				}
				src := c.decls + "(get-value (" + term + "))"
				if want == "error" {
					_, err := Parse("t", []byte(src), smt.NewArena())
					require.Error(t, err, term)
					continue
				}
				s, _ := roundTrip(t, src)
				require.Equal(t, "(get-value ("+want+"))", s.CommandText(len(s.Commands)-1))
			}
		})
	}
}

func TestRealNumerals(t *testing.T) {
	for logic, want := range map[string]string{"QF_LRA": "(- 2.0)", "QF_UFLRA": "(- 2.0)", "QF_RDL": "(- 2.0)", "NRA": "(- 2.0)", "QF_FPLRA": "(- 2.0)",
		"QF_LIA": "(- 2)", "AUFLIRA": "(- 2)", "QF_UFNIRA": "(- 2)", "ALL": "(- 2)", "QF_ANIA": "(- 2)", "QF_IDL": "(- 2)", "QF_SLIA": "(- 2)"} {
		s, _ := roundTrip(t, "(set-logic "+logic+")(simplify (- 2))")
		require.Equal(t, "(simplify "+want+")", s.CommandText(1), logic)
	}
}

func TestNames(t *testing.T) {
	_, text := roundTrip(t, `(declare-fun p () Bool)
(assert (and (or p true) (! (or p true) :named n1) (not n1) (=> n1 (! (not n1) :named |n 2|)) |n 2|))
(assert (! (and n1 |n 2|) :named n3))
(assert (let ((x p)) (and (! (not x) :named n4) x)))
(assert (forall ((x Bool)) (or x n4 (! p :named n5) n5)))
(assert n5)
(define-fun d () Bool (! true :named n6))
(assert (and d n6))
`)
	require.Contains(t, text, "(assert (and (or p true) (! (or p true) :named n1) (not n1) (=> n1 (! (not n1) :named |n 2|)) |n 2|))")
	require.Contains(t, text, "(assert (! (and n1 |n 2|) :named n3))")
	// A name inside a term that is too large without let: uses of the name come after it.
	shared := strings.Repeat("(let ((x (xor x x))) ", 40)
	_, text = roundTrip(t, "(declare-fun p () Bool)(assert (let ((x p)) "+shared+"(and (! (or x p) :named name_of_some_length) (or name_of_some_length p) (not (or name_of_some_length p))))"+strings.Repeat(")", 41))
	require.Contains(t, text, "(let ((?39 (! (or (xor ?38 ?38) p) :named name_of_some_length))) (let ((?40 (or name_of_some_length p))) (and ?39 ?40 (not ?40))))")
}

func TestLetSharing(t *testing.T) {
	_, text := roundTrip(t, `(declare-fun a_function_of_two (Int Int) Int)(declare-fun a () Int)(declare-fun ?2 () Int)
(assert (let ((x (a_function_of_two a ?2))) (let ((y (a_function_of_two x x)) (z (a_function_of_two x a))) (= y z (a_function_of_two y (- 3)) (- 3) (a_function_of_two a (a_function_of_two a ?2))))))`)
	require.Contains(t, text, "(assert (let ((?3 (a_function_of_two a ?2))) (let ((?4 (a_function_of_two ?3 ?3))) (= ?4 (a_function_of_two ?3 a) (a_function_of_two ?4 (- 3)) (- 3) (a_function_of_two a ?3)))))")
	// Below the innermost binder that has all occurrences.
	_, text = roundTrip(t, `(declare-fun a_function_of_two (Int Int) Int)(declare-fun a () Int)
(assert (forall ((x Int)) (and (= (a_function_of_two x a) (a_function_of_two x a) (a_function_of_two a a)) (exists ((y Int)) (and (= (a_function_of_two x y) (a_function_of_two x y) (a_function_of_two a a)) (= (a_function_of_two x a) (a_function_of_two y y) (a_function_of_two y y)))))))`)
	require.Contains(t, text, `(assert (forall ((x Int)) (let ((?1 (a_function_of_two x a)) (?2 (a_function_of_two a a))) (and (= ?1 ?1 ?2) (exists ((y Int)) (let ((?3 (a_function_of_two x y)) (?4 (a_function_of_two y y))) (and (= ?3 ?3 ?2) (= ?1 ?4 ?4))))))))`)
	// Quantifiers stay adjacent even if terms are shared below them; a term that two quantifiers share is bound before
	// both.
	_, text = roundTrip(t, `(declare-fun a_function_of_two (Int Int) Int)(declare-fun a () Int)
(assert (forall ((x Int)) (exists ((y Int)) (= (a_function_of_two a a) (a_function_of_two x (a_function_of_two a a)) (a_function_of_two x (a_function_of_two a a)) y))))
(assert (and (forall ((x Int)) (< x (a_function_of_two a a))) (exists ((y Int)) (forall ((x Int)) (< x y (a_function_of_two a a))))))`)
	require.Contains(t, text, "(assert (forall ((x Int)) (exists ((y Int)) (let ((?1 (a_function_of_two a a))) (let ((?2 (a_function_of_two x ?1))) (= ?1 ?2 ?2 y))))))")
	require.Contains(t, text, "(assert (let ((?1 (a_function_of_two a a))) (and (forall ((x Int)) (< x ?1)) (exists ((y Int)) (forall ((x Int)) (< x y ?1))))))")
	// A binder that is shared itself has its body where it is bound, not where it comes first.
	_, text = roundTrip(t, `(declare-fun a_function_of_two (Int Int) Int)(declare-fun a () Int)
(assert (let ((all (forall ((x Int)) (< x (a_function_of_two a a) (a_function_of_two a (a_function_of_two a a)))))) (and (exists ((y Int)) (and all (= y (a_function_of_two a a)))) all)))`)
	require.Contains(t, text, "(assert (let ((?1 (a_function_of_two a a))) (let ((?2 (forall ((x Int)) (< x ?1 (a_function_of_two a ?1))))) (and (exists ((y Int)) (and ?2 (= y ?1))) ?2))))")
	// A term that is as short as a variable with its binding is repeated instead.
	_, text = roundTrip(t, `(declare-fun f (Int) Int)(declare-fun a () Int)(assert (let ((x (f a))) (and (= x 1) (< x 2) (> x (+ x x)))))`)
	require.Contains(t, text, "(assert (and (= (f a) 1) (< (f a) 2) (> (f a) (+ (f a) (f a)))))")
	_, text = roundTrip(t, `(declare-fun f (Int) Int)(declare-fun a () Int)(assert (let ((x (f a))) (= x x x x x x x x x x x x)))`)
	require.Contains(t, text, "(assert (let ((?1 (f a))) (= ?1 ?1 ?1 ?1 ?1 ?1 ?1 ?1 ?1 ?1 ?1 ?1)))")
}

func TestVariablesAreRenamedWhereTheyCapture(t *testing.T) {
	a := smt.NewArena()
	s, err := Parse("t", []byte("(declare-fun x () Int)(declare-fun x!1 () Int)(declare-fun p (Int Int) Bool)(declare-datatype L ((nil) (cons (hd Int))))(declare-fun l () L)"), a)
	require.NoError(t, err)
	sym := func(i int) smt.Symbol { return s.Commands[i].Symbols[0] }
	cx, cx1 := a.Const(sym(0)), a.Const(sym(1))
	vx, vb := a.Var("x", smt.SortInt), a.Var("x", smt.SortBool)
	app := func(f smt.Symbol, args ...smt.Term) smt.Term {
		r, err := a.Apply(f, args...)
		require.NoError(t, err)
		return r
	}
	quant := func(op smt.Op, v, body smt.Term) smt.Term {
		r, err := a.Quant(op, []smt.Term{v}, body)
		require.NoError(t, err)
		return r
	}
	// The constant x below a binder of x.
	q := quant(smt.OpForall, vx, a.And(app(sym(2), vx, cx), app(sym(2), vx, cx1)))
	require.Equal(t, "(forall ((x!2 Int)) (and (p x!2 x) (p x!2 x!1)))", TermText(a, q))
	// The Int variable x free below a binder of the Bool variable x.
	q = quant(smt.OpForall, vx, quant(smt.OpExists, vb, a.And(vb, a.Eq(vx, a.Int64(1)))))
	require.Equal(t, "(forall ((x Int)) (exists ((x!1 Bool)) (and x!1 (= x 1))))", TermText(a, q))
	// Beside one another nothing is captured.
	q = a.And(quant(smt.OpForall, vx, a.Eq(vx, vx)), a.Eq(cx, cx1))
	require.Equal(t, "(and (forall ((x Int)) (= x x)) (= x x!1))", TermText(a, q))
	// An operator of the variable's name.
	vabs := a.Var("abs", smt.SortInt)
	q = quant(smt.OpForall, vabs, a.Eq(a.MustApp(smt.OpAbs, vabs), vabs))
	require.Equal(t, "(forall ((abs!1 Int)) (= (abs abs!1) abs!1))", TermText(a, q))
	// A variable of let's form.
	vl := a.Var("?1", smt.SortInt)
	sum := a.MustApp(smt.OpAdd, vl, vl)
	q = quant(smt.OpForall, vl, a.Eq(sum, a.MustApp(smt.OpMul, sum, sum)))
	require.Equal(t, "(forall ((?1 Int)) (let ((?2 (+ ?1 ?1))) (= ?2 (* ?2 ?2))))", TermText(a, q))
	// A pattern variable that would be read as a constructor.
	l := a.Const(sym(4))
	c, err := a.Case(0, []smt.Term{a.Var("nil", a.Sort(l))}, a.Int64(1))
	require.NoError(t, err)
	m, err := a.Match(l, []smt.Term{c})
	require.NoError(t, err)
	require.Equal(t, "(match l ((nil!1 1)))", TermText(a, m))
}

// TestDeepNesting reads, prints and re-reads terms that are nested 100,000 levels deep.
func TestDeepNesting(t *testing.T) {
	const n = 100000
	rep := strings.Repeat
	for name, src := range map[string]string{
		"not":        "(assert " + rep("(not ", n) + "p" + rep(")", n) + ")",
		"let":        "(assert " + rep("(let ((q (not p))) (let ((p q)) ", n/2) + "p" + rep("))", n/2) + ")",
		"shared":     "(assert " + rep("(let ((p (xor p p))) ", n) + "p" + rep(")", n) + ")",
		"binding":    "(assert " + rep("(let ((q ", n) + "p" + rep(")) (not q))", n) + ")",
		"forall":     "(assert " + rep("(forall ((x Bool)) (or x ", n) + "p" + rep("))", n) + ")",
		"annotation": "(assert " + rep("(! ", n) + "p" + rep(" :a b)", n) + ")",
		"match":      "(assert " + rep("(match d ((c ", n) + "p" + rep(")))", n) + ")",
		"lambda":     "(simplify " + rep("(lambda ((x Int)) ", n/10) + "p" + rep(")", n/10) + ")",
		"unknown":    "(" + rep("(a ", n) + rep(")", n) + ")",
		"attribute":  "(set-info :x " + rep("(a ", n) + rep(")", n) + ")",
		"pattern":    "(assert " + rep("(! p :pattern (", n/10) + "p" + rep("))", n/10) + ")",
		"head":       "(assert " + rep("(", n) + "f" + rep(" p)", n) + ")",
	} {
		t.Run(name, func(t *testing.T) {
			head := "(declare-fun p () Bool)(declare-datatype D ((c)))(declare-fun d () D)"
			if name == "unknown" {
				src = "(frob " + src + ")"
			}
			roundTrip(t, head+src)
		})
	}
	_, err := Parse("t", []byte("(declare-const x "+rep("(Array Int ", n)+"Int"+rep(")", n)+")"), smt.NewArena())
	require.ErrorContains(t, err, "sorts nest deeper than 10000 levels")
	roundTrip(t, "(declare-const x "+rep("(Array Int ", 9000)+"Int"+rep(")", 9000)+")")
}

// TestOutputIsLinear: a term that is a tree of 2^60 nodes prints in the size of its DAG.
func TestOutputIsLinear(t *testing.T) {
	var b strings.Builder
	b.WriteString("(declare-fun p () Bool)(assert (forall ((x Bool)) ")
	for range 60 {
		b.WriteString("(let ((p (xor p p)) (x (and x x p))) ")
	}
	b.WriteString("(! (and p x) :pattern (x p))" + strings.Repeat(")", 62))
	_, text := roundTrip(t, b.String())
	require.Less(t, len(text), 6000)
}

func TestParseSExprs(t *testing.T) {
	e, err := ParseSExprs(" sat ((x |a \"b|) () #b01 :k \"a \"\" b\" ; c\n)")
	require.NoError(t, err)
	require.Len(t, e, 2)
	require.Equal(t, "sat", e[0].Symbol())
	require.Equal(t, `((x |a "b|) () #b01 :k "a "" b")`, e[1].String())
	require.Equal(t, `a "b`, e[1].List[0].List[1].Symbol())
	require.Equal(t, "x", e[1].List[0].Head())
	require.True(t, e[1].List[1].IsList())
	for text, want := range map[string]string{
		"(a":        "reply:1:1: this ( has no )",
		"a)":        "reply:1:2: expected an expression, found `)`",
		"\"a":       "reply:1:1: string without closing \"",
		"(a\n|b":    "reply:2:1: quoted symbol without closing |",
		"(a |b\\|)": "reply:1:4: a quoted symbol has no backslash before a bar",
		"a \x00 b":  "reply:1:3: expected an atom, found the byte 0x00",
		"é":         "reply:1:1: expected an atom, found the byte 0xc3",
	} {
		_, err := ParseSExprs(text)
		require.ErrorContains(t, err, want)
	}
	deep := strings.Repeat("(", 200000) + strings.Repeat(")", 200000)
	e, err = ParseSExprs(deep)
	require.NoError(t, err)
	require.Equal(t, deep, e[0].String())
}
