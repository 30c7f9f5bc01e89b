package eval

import (
	"fmt"
	"math"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

const (
	maxNesting = 2000
	maxFrames  = 1 << 21
)

// runTerm computes the value of a term with an explicit stack: depth of terms and of calls does not matter. Only
// quantifiers nest on the machine's stack.
func (e *Evaluator) runTerm(root smt.Term) value.Value {
	if e.aborted != nil {
		return value.NoValueFor(e.aborted)
	}
	if v, ok := e.quickValue(root); ok {
		return v
	}
	if e.depth >= maxNesting {
		return value.TooLarge(e.a.Op(root).String(), "quantifiers and lambdas nest more than 2000 deep")
	}
	e.depth++
	floor, marks := len(e.stack), len(e.binds)
	valFloor := len(e.vals)
	e.pushFrame(root)
	for len(e.stack) > floor {
		if e.aborted != nil {
			e.stack, e.vals = e.stack[:floor], e.vals[:valFloor]
			e.unbindTo(marks)
			e.depth--
			return value.NoValueFor(e.aborted)
		}
		e.stepFrame()
	}
	v := e.vals[valFloor]
	e.vals = e.vals[:valFloor]
	e.depth--
	return v
}

// quickValue returns the value of a term that is remembered or a leaf.
func (e *Evaluator) quickValue(t smt.Term) (value.Value, bool) {
	s := e.slotOf(t)
	if s.stamp == e.base && !s.isOpen() {
		return s.val, true
	}
	if s.isOpen() {
		if f := &e.free[s.open]; f.v == t {
			if f.bound >= 0 {
				return e.binds[f.bound].val, true
			}
			return value.NoValue(e.a.VarName(t), "the variable is free"), true
		}
		if g := e.validStamp(s); g != 0 && s.stamp == g {
			return s.val, true
		}
		return value.Value{}, false
	}
	if e.a.NumArgs(t) > 0 {
		return value.Value{}, false
	}
	v, ok := e.leafValue(t)
	if ok {
		s.val, s.stamp = v, e.base
	}
	return v, ok
}

func (e *Evaluator) pushFrame(t smt.Term) {
	f := frame{t: t, op: e.a.Op(t), base: int32(len(e.vals)), n: int32(e.a.NumArgs(t))}
	switch f.op {
	case smt.OpForall, smt.OpExists, smt.OpLambda:
		f.n = 0
	case smt.OpMatch, smt.OpAnnot:
		f.n = 1
	}
	e.stack = append(e.stack, f)
}

// wantValue puts the value of an argument on vals: at once, or by a frame of its own.
func (e *Evaluator) wantValue(t smt.Term) {
	if v, ok := e.quickValue(t); ok {
		e.vals = append(e.vals, v)
		return
	}
	e.pushFrame(t)
}

// stepFrame advances the topmost frame.
func (e *Evaluator) stepFrame() {
	f := &e.stack[len(e.stack)-1]
	if f.body {
		v := e.vals[len(e.vals)-1]
		if f.mark >= 0 {
			v = functionCalls{e}.finishCall(f, v)
		}
		e.finishFrame(v)
		return
	}
	if f.next > 0 && f.op >= smt.OpImplies && f.op <= smt.OpIte && e.shortcut(f) {
		return
	}
	args := e.a.Args(f.t)
	for f.next < f.n {
		x := args[f.next]
		f.next++
		if v, ok := e.quickValue(x); ok {
			e.vals = append(e.vals, v)
			if f.op >= smt.OpImplies && f.op <= smt.OpIte && e.shortcut(f) {
				return
			}
			continue
		}
		e.pushFrame(x)
		return
	}
	e.visited++
	if e.visited >= e.look {
		const often = 1 << 10
		e.look = e.visited + often
		if e.isOver() {
			e.charge(f.op, math.MaxInt32)
			return
		}
	}
	if len(e.binds) > 0 {
		e.visited += 3 // they cost as much more
		// A closed term has its value once and for all, so it costs the same wherever it is met first.
		if slot := e.slotOf(f.t); slot.isOpen() {
			if e.charge(f.op, 1+e.freeWork(slot)); e.aborted != nil {
				return
			}
		}
	}
	if v := e.complete1(f); v.Kind() != value.KindNone {
		e.finishFrame(v)
	}
}

// freeWork returns the cost, in steps, of checking whether the cached value of an open term is still valid: it looks at
// each of the term's free variables.
func (e *Evaluator) freeWork(s *slot) int64 {
	const varsPerStep = 16 // measured on quantifiers nested 60, 200 and 300 deep
	return int64(len(e.free[s.open].vars)) / varsPerStep
}

// finishFrame remembers the value of the topmost frame's term and hands it to the frame below.
func (e *Evaluator) finishFrame(v value.Value) {
	f := &e.stack[len(e.stack)-1]
	if n := v.Words(); n > 0 {
		e.chargeMemory(f.op, n, len(e.binds) > 0)
	}
	s := e.slotOf(f.t)
	if e.aborted == nil && !(e.spent && !v.IsValue()) {
		if g := e.validStamp(s); g != 0 {
			s.val, s.stamp = v, g
		}
	}
	e.vals = append(e.vals[:f.base], v)
	e.stack = e.stack[:len(e.stack)-1]
}

// shortcut ends and, or, => and ite where the last value decides, or picks the branch; it reports whether it did.
func (e *Evaluator) shortcut(f *frame) bool {
	last := e.vals[len(e.vals)-1]
	switch f.op {
	case smt.OpAnd:
		if last.IsFalse() {
			e.finishFrame(last)
			return true
		}
	case smt.OpOr:
		if last.IsTrue() {
			e.finishFrame(last)
			return true
		}
	case smt.OpImplies:
		if f.next < f.n && last.IsFalse() || f.next == f.n && last.IsTrue() {
			e.finishFrame(value.Bool(true))
			return true
		}
	case smt.OpIte:
		if f.next == 1 && last.Kind() == value.KindBool {
			branch := e.a.Arg(f.t, 1)
			if last.Bits() == 0 {
				branch = e.a.Arg(f.t, 2)
			}
			e.runBody(f, branch)
			return true
		}
	}
	return false
}

// headName returns the name of the function that a term applies, or of its operator.
func (e *Evaluator) headName(t smt.Term) string {
	if f := e.a.SymbolOf(t); f != 0 {
		return e.a.SymbolName(f)
	}
	return e.a.Op(t).String()
}

// runBody makes the value of body the value of the frame, without a new scope.
func (e *Evaluator) runBody(f *frame, body smt.Term) {
	f.body, f.mark = true, -1
	if len(e.stack) >= maxFrames && e.aborted == nil { // a definition that needs its own value has no end
		e.aborted = &value.Reason{Op: e.headName(f.t), Why: fmt.Sprintf("too large: calls of definitions go more than %d levels down", maxFrames)}
	}
	e.wantValue(body)
}

// complete1 computes the value of a frame whose arguments are there; the zero Value says that a body runs first.
func (e *Evaluator) complete1(f *frame) value.Value {
	args := e.vals[f.base:]
	switch f.op {
	case smt.OpApply:
		return functionCalls{e}.applySymbol(f, args)
	case smt.OpSelect, smt.OpHOApply:
		if args[0].Kind() == value.KindClosure {
			return functionValues{e}.selectClosure(f, args[0], args[1])
		}
	case smt.OpForall, smt.OpExists:
		return e.quantifierValue(f.t)
	case smt.OpLambda:
		return functionValues{e}.lambdaValue(f.t)
	case smt.OpMatch:
		return functionCalls{e}.runMatch(f, args[0])
	case smt.OpAnnot:
		return args[0]
	}
	return operators{e}.applyOperator(f.t, f.op, args)
}

// leafValue returns the value of a closed term without arguments; ok is false where a body must run.
func (e *Evaluator) leafValue(t smt.Term) (v value.Value, ok bool) {
	a := e.a
	switch op := a.Op(t); op {
	case smt.OpTrue, smt.OpFalse:
		return value.Bool(op == smt.OpTrue), true
	case smt.OpIntLit:
		n, _ := a.IntOf(t)
		return value.Int(n), true
	case smt.OpRealLit:
		r, _ := a.RatOf(t)
		return value.Real(r), true
	case smt.OpBVLit:
		s := a.Sort(t)
		w := a.Width(s)
		if n, small := a.BVSmall(t); small && w <= 64 {
			return value.Word(s, n), true
		}
		n, _ := a.BVOf(t)
		return value.BitVecOf(s, w, n), true
	case smt.OpStringLit:
		s, _ := a.StrOf(t)
		return value.String(s), true
	case smt.OpFFLit:
		n, _ := a.FFOf(t)
		return value.FieldElement(a.Sort(t), n), true
	case smt.OpVar: // not analysed: outside of every binder
		return value.NoValue(a.VarName(t), "the variable is free"), true
	case smt.OpApply:
		return e.constantValue(t)
	default:
		return operators{e}.applyOperator(t, op, nil), true
	}
}
