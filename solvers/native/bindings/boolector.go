package bindings

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/native/driver"
)

// boolector is the API over libboolector (boolector.h, version 3). Its abort callback must not return, so it leaves the
// library by a panic, and the child is not used again. In the library, Bool is a bit vector of width 1 and functions
// without arguments are variables.
type boolector struct {
	driver.Binding
	btor    driver.Ref
	info    []boolectorOption
	flag    []byte
	assumed []driver.Ref // assertions that are assumed at each check, so that there are cores
	levels  []int        // of assumed, at each push
	goesOn  bool         // there was a check or a level
	// The library accepts quantifiers only in a solver without incremental use, which makes a single check, and then
	// gives no models.
	quantifies bool // a quantifier was made
}

// noMore refuses what Boolector does not support once it was given quantifiers.
func (b *boolector) noMore(what string) {
	if b.quantifies {
		panic(driver.Unsupported("boolector has no %s beside quantifiers, which it takes in a single check-sat", what))
	}
}

type boolectorOption struct {
	driver.OptionInfo
	number uint32
}

// NewBoolector returns the binding for a loaded library of Boolector; an error names a missing feature.
func NewBoolector(l *driver.Library) (driver.API, error) {
	for _, name := range []string{"boolector_new", "boolector_set_abort", "boolector_first_opt"} {
		if !l.Has(name) {
			return nil, fmt.Errorf("%s has no function %s: it is no libboolector of version 3", l.Path, name)
		}
	}
	b := &boolector{Binding: driver.Binding{Library: l}, flag: driver.MapMemory(16)}
	l.Call("boolector_set_abort", driver.NewCallback(func(msg uintptr) {
		f := driver.Refuse(solvers.Refusal, strings.TrimSpace(driver.GoString(msg)))
		f.Dead = true
		panic(f)
	}))
	return b, nil
}

func (b *boolector) Twin() driver.API {
	return &boolector{Binding: b.Binding, info: b.info, flag: driver.MapMemory(16)}
}

func (b *boolector) callC(name string, args ...uintptr) driver.Ref {
	return b.Library.Call(name, args...)
}

func (b *boolector) callForText(name string, args ...uintptr) string {
	return driver.GoString(b.callC(name, args...))
}

func (b *boolector) Version() string {
	x := b.callC("new")
	defer b.callC("delete", x)
	return b.callForText("version", x)
}

func (b *boolector) optionTable() []boolectorOption {
	if b.info != nil {
		return b.info
	}
	x := b.callC("new")
	defer b.callC("delete", x)
	for o := b.callC("first_opt", x); b.callC("has_opt", x, o)&0xff != 0; o = b.callC("next_opt", x, o) {
		number := func(name string) string { return strconv.FormatUint(uint64(uint32(b.callC(name, x, o))), 10) }
		info := driver.OptionInfo{Name: b.callForText("get_opt_lng", x, o), Doc: b.callForText("get_opt_desc", x, o),
			Kind: "number",
			Min:  number("get_opt_min"), Max: number("get_opt_max"), Value: number("get_opt_dflt")}
		if info.Min == "0" && info.Max == "1" {
			info.Kind = "bool"
		}
		b.info = append(b.info, boolectorOption{info, uint32(o)})
	}
	return b.info
}

// Learn reads the options of the library, which b caches.
func (b *boolector) Learn() { b.optionTable() }

func (b *boolector) Options() (all []driver.OptionInfo) {
	for _, o := range b.optionTable() {
		all = append(all, o.OptionInfo)
	}
	return all
}

// boolectorModes are the words that the command-line program accepts as option values, in the order of the numbers that
// the library uses.
var boolectorModes = map[string][]string{
	"beta-reduce": {"none", "fun", "all"}, "fun-eager-lemmas": {"none", "conf", "all"},
	"fun-just-heuristic":  {"left", "applies", "depth"},
	"fun-dual-prop-qsort": {"just", "asc", "desc"}, "sls-strategy": {"best", "walk", "first", "same", "prop"},
	"prop-path-sel": {"controlling", "essential", "random"},
}

func (b *boolector) setOption(name, value string) {
	switch value {
	case "true":
		value = "1"
	case "false":
		value = "0"
	}
	for _, o := range b.optionTable() {
		if o.Name != name {
			continue
		}
		lo, _ := strconv.ParseUint(o.Min, 10, 32)
		if mode := slices.Index(boolectorModes[name], value); mode >= 0 {
			value = strconv.FormatUint(lo+uint64(mode), 10)
		}
		n, err := strconv.ParseUint(value, 10, 32)
		hi, _ := strconv.ParseUint(o.Max, 10, 32)
		if err != nil || n < lo || n > hi {
			panic(driver.RefuseOption("boolector: option %s takes a number from %s to %s, not %q", name, o.Min, o.Max, value))
		}
		b.callC("set_opt", b.btor, uintptr(o.number), uintptr(n))
		return
	}
	panic(driver.RefuseOption("boolector has no option %s", name))
}

// isArray reports whether a sort is one of arrays, which are functions to the library.
func isArray(a *smt.Arena, so smt.Sort) bool { return a.SortKind(so) == smt.KindArray }
