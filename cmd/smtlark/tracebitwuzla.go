package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/native"
)

// bitwuzlaC writes a program for libbitwuzla, call by call.
type bitwuzlaC struct {
	a     *smt.Arena
	b     strings.Builder
	sorts map[smt.Sort]string
	terms map[smt.Term]string
	funs  map[smt.Symbol]string
	err   error
}

func traceBitwuzla(t *solvers.Trace) (string, error) {
	w := &bitwuzlaC{a: t.Arena, sorts: map[smt.Sort]string{}, terms: map[smt.Term]string{}, funs: map[smt.Symbol]string{}}
	for i := range t.Calls {
		w.call(&t.Calls[i])
		if w.err != nil {
			return "", fmt.Errorf("call %d: %w", i, w.err)
		}
	}
	return `/* cc trace.c -lbitwuzla && ./a.out */
#include <stdio.h>
#include <stdint.h>
#include <bitwuzla/c/bitwuzla.h>

int main(void)
{
    BitwuzlaResult last = BITWUZLA_UNKNOWN;
    size_t n;
    BitwuzlaTermManager *tm = bitwuzla_term_manager_new();
    BitwuzlaOptions *options = bitwuzla_options_new();
    Bitwuzla *bitwuzla = NULL;
#define SOLVER() (bitwuzla ? bitwuzla : (bitwuzla = bitwuzla_new(tm, options)))
` + w.b.String() + `    if (bitwuzla) bitwuzla_delete(bitwuzla);
    bitwuzla_options_delete(options);
    bitwuzla_term_manager_delete(tm);
    (void) last, (void) n;
    return 0;
}
`, nil
}

func (w *bitwuzlaC) line(format string, args ...any) {
	fmt.Fprintf(&w.b, "    "+format+"\n", args...)
}

func (w *bitwuzlaC) fail(format string, args ...any) string {
	if w.err == nil {
		w.err = fmt.Errorf(format, args...)
	}
	return "0"
}

var answersC = map[smtlib.Answer]string{smtlib.Sat: "BITWUZLA_SAT", smtlib.Unsat: "BITWUZLA_UNSAT", smtlib.Unknown: "BITWUZLA_UNKNOWN"}

func (w *bitwuzlaC) call(c *solvers.Call) {
	if c.Instance != 0 {
		return
	}
	switch c.Kind {
	case solvers.CallMakeSort:
		w.sort(c.Sort)
	case solvers.CallMakeTerm:
		w.term(c.Term)
	case solvers.CallCustom:
		w.fail("the action %q is one of a campaign file", c.Name)
	case solvers.CallCommand:
		w.command(&c.Command, conditionC(c.When, answersC))
	}
}

func (w *bitwuzlaC) command(c *smtlib.Command, when string) {
	switch c.Kind {
	case smtlib.CmdSetOption:
		on := map[string]string{":produce-models": "PRODUCE_MODELS", ":produce-unsat-cores": "PRODUCE_UNSAT_CORES", ":produce-unsat-assumptions": "PRODUCE_UNSAT_ASSUMPTIONS"}[c.Name]
		if on == "" {
			w.fail("the option %s %s has no counterpart here", c.Name, c.Text)
			return
		}
		w.line("bitwuzla_set_option(options, BITWUZLA_OPT_%s, %d);", on, map[bool]int{true: 1}[c.Text == "true"])
	case smtlib.CmdDeclareConst, smtlib.CmdDeclareFun:
		w.fun(c.Symbols[0])
	case smtlib.CmdDefineConst, smtlib.CmdDefineFun:
		w.fun(c.Symbols[0])
	case smtlib.CmdAssert:
		t := w.term(c.Terms[0])
		w.line("bitwuzla_assert(SOLVER(), %s);", t)
	case smtlib.CmdCheckSat:
		w.line("last = bitwuzla_check_sat(SOLVER());")
		w.line("printf(\"%%s\\n\", bitwuzla_result_to_string(last));")
	case smtlib.CmdCheckSatAssuming:
		w.line("last = bitwuzla_check_sat_assuming(SOLVER(), %d, (BitwuzlaTerm[]){%s});", len(c.Terms), w.list(c.Terms))
		w.line("printf(\"%%s\\n\", bitwuzla_result_to_string(last));")
	case smtlib.CmdPush, smtlib.CmdPop:
		w.line("bitwuzla_%s(SOLVER(), %d);", c.Kind, c.N)
	case smtlib.CmdGetValue:
		for _, t := range c.Terms {
			w.line("%sprintf(\"%%s\\n\", bitwuzla_term_to_string(bitwuzla_get_value(SOLVER(), %s)));", when, w.term(t))
		}
	case smtlib.CmdGetModel:
		var names []string
		for _, v := range w.funs {
			names = append(names, v)
		}
		slices.Sort(names)
		for _, v := range names {
			w.line("%sprintf(\"%%s\\n\", bitwuzla_term_to_string(bitwuzla_get_value(SOLVER(), %s)));", when, v)
		}
	case smtlib.CmdGetUnsatCore:
		w.line("%sbitwuzla_get_unsat_core(SOLVER(), &n);", when)
	case smtlib.CmdGetUnsatAssumptions:
		w.line("%sbitwuzla_get_unsat_assumptions(SOLVER(), &n);", when)
	case smtlib.CmdReset, smtlib.CmdResetAssertions:
		w.line("if (bitwuzla) bitwuzla_delete(bitwuzla), bitwuzla = NULL;")
	case smtlib.CmdDeclareSort, smtlib.CmdSetLogic, smtlib.CmdSetInfo, smtlib.CmdEcho, smtlib.CmdGetInfo, smtlib.CmdGetOption, smtlib.CmdExit, smtlib.CmdDefineSort:
	default:
		w.fail("libbitwuzla has nothing for %s", c.Kind)
	}
}

func (w *bitwuzlaC) list(ts []smt.Term) string {
	var out []string
	for _, t := range ts {
		out = append(out, w.term(t))
	}
	return strings.Join(out, ", ")
}

// sort makes a sort once and returns its variable.
func (w *bitwuzlaC) sort(s smt.Sort) string {
	if v := w.sorts[s]; v != "" {
		return v
	}
	a := w.a
	var made string
	switch a.SortKind(s) {
	case smt.KindBool:
		made = "bitwuzla_mk_bool_sort(tm)"
	case smt.KindRoundingMode:
		made = "bitwuzla_mk_rm_sort(tm)"
	case smt.KindBitVec:
		made = fmt.Sprintf("bitwuzla_mk_bv_sort(tm, %d)", a.Width(s))
	case smt.KindFloat:
		e, m := a.FloatFormat(s)
		made = fmt.Sprintf("bitwuzla_mk_fp_sort(tm, %d, %d)", e, m)
	case smt.KindArray:
		args := a.SortArgs(s)
		i, e := w.sort(args[0]), w.sort(args[1])
		made = fmt.Sprintf("bitwuzla_mk_array_sort(tm, %s, %s)", i, e)
	case smt.KindFunc:
		args := a.SortArgs(s)
		var params []string
		for _, p := range args[:len(args)-1] {
			params = append(params, w.sort(p))
		}
		made = fmt.Sprintf("bitwuzla_mk_fun_sort(tm, %d, (BitwuzlaSort[]){%s}, %s)", len(params), strings.Join(params, ", "), w.sort(args[len(args)-1]))
	case smt.KindUser:
		made = fmt.Sprintf("bitwuzla_mk_uninterpreted_sort(tm, %s)", native.QuoteC(a.SortString(s)))
	default:
		return w.fail("libbitwuzla has no sort %s", a.SortString(s))
	}
	v := fmt.Sprintf("s%d", len(w.sorts)+1)
	w.sorts[s] = v
	w.line("BitwuzlaSort %s = %s;", v, made)
	return v
}

// fun makes a constant or a function once.
func (w *bitwuzlaC) fun(f smt.Symbol) string {
	if v := w.funs[f]; v != "" {
		return v
	}
	info := w.a.SymbolInfo(f)
	v := fmt.Sprintf("f%d", len(w.funs)+1)
	switch {
	case info.Body != 0 && len(info.Vars) == 0:
		w.line("BitwuzlaTerm %s = %s;", v, w.term(info.Body))
	case info.Body != 0:
		args := w.list(append(slices.Clone(info.Vars), info.Body))
		w.line("BitwuzlaTerm %s = bitwuzla_mk_term(tm, BITWUZLA_KIND_LAMBDA, %d, (BitwuzlaTerm[]){%s});", v, len(info.Vars)+1, args)
	case len(info.Params) == 0:
		w.line("BitwuzlaTerm %s = bitwuzla_mk_const(tm, %s, %s);", v, w.sort(info.Result), native.QuoteC(info.Name))
	default:
		var params []string
		for _, p := range info.Params {
			params = append(params, w.sort(p))
		}
		result := w.sort(info.Result)
		w.line("BitwuzlaTerm %s = bitwuzla_mk_const(tm, bitwuzla_mk_fun_sort(tm, %d, (BitwuzlaSort[]){%s}, %s), %s);", v, len(params), strings.Join(params, ", "), result, native.QuoteC(info.Name))
	}
	w.funs[f] = v
	return v
}

// term makes a term, and before it what it is made of.
func (w *bitwuzlaC) term(t smt.Term) string {
	w.a.PostOrder([]smt.Term{t}, func(x smt.Term) {
		if w.terms[x] == "" && w.err == nil {
			v := w.made(x)
			if !strings.ContainsAny(v, "(") {
				w.terms[x] = v
				return
			}
			name := fmt.Sprintf("t%d", len(w.terms)+1)
			w.terms[x] = name
			w.line("BitwuzlaTerm %s = %s;", name, v)
		}
	})
	return w.terms[t]
}

func (w *bitwuzlaC) made(t smt.Term) string {
	a := w.a
	op := a.Op(t)
	var args []string
	for _, x := range a.Args(t) {
		args = append(args, w.terms[x])
	}
	n := len(args)
	kind := func(k string, idx []uint64, args []string) string {
		list := "(BitwuzlaTerm[]){" + strings.Join(args, ", ") + "}"
		if len(idx) == 0 {
			return fmt.Sprintf("bitwuzla_mk_term(tm, BITWUZLA_KIND_%s, %d, %s)", k, len(args), list)
		}
		return fmt.Sprintf("bitwuzla_mk_term_indexed(tm, BITWUZLA_KIND_%s, %d, %s, %d, (uint64_t[]){%s})", k, len(args), list, len(idx), strings.Trim(strings.Join(strings.Fields(fmt.Sprint(idx)), ", "), "[]"))
	}
	switch {
	case op == smt.OpTrue:
		return "bitwuzla_mk_true(tm)"
	case op == smt.OpFalse:
		return "bitwuzla_mk_false(tm)"
	case op == smt.OpBVLit:
		v, _ := a.BVOf(t)
		return fmt.Sprintf("bitwuzla_mk_bv_value(tm, %s, \"%s\", 10)", w.sort(a.Sort(t)), v)
	case op == smt.OpVar:
		return fmt.Sprintf("bitwuzla_mk_var(tm, %s, %s)", w.sort(a.Sort(t)), native.QuoteC(a.VarName(t)))
	case op == smt.OpApply && n == 0:
		return w.fun(a.SymbolOf(t))
	case op == smt.OpApply:
		return kind("APPLY", nil, append([]string{w.fun(a.SymbolOf(t))}, args...))
	case op == smt.OpHOApply && a.SortKind(a.Sort(t)) != smt.KindFunc && len(a.SortArgs(a.Sort(a.Arg(t, 0)))) == 2:
		return kind("APPLY", nil, args)
	case op == smt.OpFunction && a.SortKind(a.Sort(t)) == smt.KindFunc:
		return w.fun(a.SymbolOf(t))
	case op == smt.OpForall, op == smt.OpExists, op == smt.OpLambda && a.SortKind(a.Sort(t)) == smt.KindFunc:
		return kind(strings.ToUpper(op.String()), nil, args)
	case op == smt.OpAnnot:
		return args[0]
	case op == smt.OpConstArray:
		return fmt.Sprintf("bitwuzla_mk_const_array(tm, %s, %s)", w.sort(a.Sort(t)), args[0])
	case op >= smt.OpRNE && op <= smt.OpRTZ:
		return "bitwuzla_mk_rm_value(tm, BITWUZLA_RM_" + op.String() + ")"
	}
	if f := map[smt.Op]string{smt.OpFPPlusInf: "pos_inf", smt.OpFPMinusInf: "neg_inf", smt.OpFPPlusZero: "pos_zero", smt.OpFPMinusZero: "neg_zero", smt.OpFPNaN: "nan"}[op]; f != "" {
		return fmt.Sprintf("bitwuzla_mk_fp_%s(tm, %s)", f, w.sort(a.Sort(t)))
	}
	k, how, ok := native.BitwuzlaKind(a, t)
	if !ok {
		return w.fail("libbitwuzla has no operator %s", op)
	}
	var idx []uint64
	for _, i := range a.Indices(t) {
		v, _ := a.IndexUint(i)
		idx = append(idx, v)
	}
	if n <= 2 || how == "" {
		return kind(k, idx, args)
	}
	return foldC(how, args, func(x, y string) string { return kind(k, nil, []string{x, y}) }, func(parts []string) string { return kind("AND", nil, parts) })
}

// foldC spells an operator of more than two arguments by its binary form.
func foldC(how string, args []string, two func(x, y string) string, and func([]string) string) string {
	switch how {
	case "right":
		out := args[len(args)-1]
		for i := len(args) - 2; i >= 0; i-- {
			out = two(args[i], out)
		}
		return out
	case "chain":
		var parts []string
		for i := range args[1:] {
			parts = append(parts, two(args[i], args[i+1]))
		}
		return and(parts)
	}
	out := args[0]
	for _, x := range args[1:] {
		out = two(out, x)
	}
	return out
}
