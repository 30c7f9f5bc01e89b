package bindings

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/native/driver"
)

// cvc5 is the API over libcvc5 (cvc5/c/cvc5.h, the C interface of 1.2.1 and later). Up to 1.3 an error prints a line
// and calls exit(1): a function that on_exit of libc calls then leaves exit and the library by a panic, which drops
// their frames, and the child is not used again. Later versions keep the error for cvc5_has_error.
type cvc5 struct {
	driver.Binding
	tm, solver driver.Ref
	kinds      map[string]int32
	modes      map[string]uint32 // rounding modes by name
	asks       bool              // errors are asked for
	share      *driver.Shared
	declared   map[smt.SortSymbol]driver.Ref // of the term manager
	params     map[smt.Sort]driver.Ref
	userSorts  []driver.Ref
	ver        string
	names      map[string]bool // of options
	limit      int64           // of a check, in milliseconds, as the solver was told
}

// exiting notes whether a call is running whose exit must be caught. Outside calls, exit ends the process as usual.
var exiting struct {
	armed bool // the hook is registered
	live  bool
}

// NewCVC5 returns the binding for a loaded library of cvc5; an error names a missing feature.
func NewCVC5(l *driver.Library) (driver.API, error) {
	if !l.Has("cvc5_term_manager_new") || !l.Has("cvc5_kind_to_string") {
		return nil, fmt.Errorf("%s has no C interface, only that of C++: libcvc5 has one from version 1.2.1 on (smtlark solvers --fetch .solvers unpacks such a version)", l.Path)
	}
	c := &cvc5{
		Binding: driver.Binding{Library: l}, kinds: map[string]int32{}, modes: map[string]uint32{},
		asks:  l.Has("cvc5_has_error"),
		share: &driver.Shared{}, declared: map[smt.SortSymbol]driver.Ref{}, params: map[smt.Sort]driver.Ref{},
		names: map[string]bool{},
	}
	for k := int32(0); k < 2000; k++ {
		name := c.kindName(k)
		if name == "" || strings.Contains(name, "LAST_KIND") {
			break
		}
		c.kinds[name] = k
	}
	if l.Has("cvc5_rm_to_string") {
		for i := uint32(0); i < 5; i++ {
			c.modes[strings.TrimPrefix(l.Text("cvc5_rm_to_string", uintptr(i)), "CVC5_RM_")] = i
		}
	}
	return c, nil
}

// kindName returns the name of a kind, or "" after the last one. Numbers differ between versions, and only the error of
// asking for one too many tells how many there are. Nothing exists yet that this error could harm.
func (c *cvc5) kindName(k int32) (name string) {
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(*driver.Fault); !ok {
				panic(r)
			}
			name = ""
		}
	}()
	return strings.TrimPrefix(c.callForText("kind_to_string", uintptr(uint32(k))), "CVC5_KIND_")
}

// registerExitHook registers the hook of exit; each registration serves once.
func (c *cvc5) registerExitHook() {
	if c.asks || exiting.armed {
		return
	}
	onExit := driver.LibcSymbol("on_exit")
	if onExit == 0 {
		return
	}
	driver.SyscallC(onExit, []uintptr{exitHook(), 0})
	exiting.armed = true
}

var exitCallback uintptr

func exitHook() uintptr {
	if exitCallback == 0 {
		exitCallback = driver.NewCallback(func(code int32, _ uintptr) {
			exiting.armed = false
			if exiting.live {
				panic(exitFault(code))
			}
		})
	}
	return exitCallback
}

// exitFault returns the fault for a library's exit.
func exitFault(code int32) *driver.Fault {
	text := strings.TrimSpace(driver.Printed())
	if i := strings.LastIndex(text, "cvc5: error: "); i >= 0 {
		text = text[i+len("cvc5: error: "):]
	}
	line, _, _ := strings.Cut(text, "\n")
	f := driver.Refuse(solvers.Refusal, line)
	if line == "" {
		f = driver.Refuse(solvers.Garbage, fmt.Sprintf("the library called exit(%d)", code))
	}
	f.Dead = true
	return f
}

// callC calls a function and throws its error.
func (c *cvc5) callC(name string, args ...uintptr) driver.Ref {
	if c.asks {
		r := c.Library.Call(name, args...)
		if c.Library.Boolean("cvc5_has_error") {
			msg := c.Library.Text("cvc5_get_error_message")
			c.Library.Call("cvc5_reset_error")
			panic(driver.Refuse(solvers.Refusal, msg))
		}
		return r
	}
	c.registerExitHook()
	exiting.live = true
	defer func() { exiting.live = false }()
	return c.Library.Call(name, args...)
}

func (c *cvc5) callForText(name string, args ...uintptr) string {
	return driver.GoString(c.callC(name, args...))
}

func (c *cvc5) Version() string {
	if c.ver == "" {
		tm := c.callC("term_manager_new")
		s := c.callC("new", tm)
		c.ver = c.versionOf(s)
		c.callC("delete", s)
		c.callC("term_manager_delete", tm)
	}
	return c.ver
}

// versionOf asks a solver for its version. Releases of the Python package are built from a modified source tree, and
// their version says so.
func (c *cvc5) versionOf(solver uintptr) string {
	return strings.TrimSuffix(c.callForText("get_version", solver), "-modified")
}

// Options reads the library's description of its options, as Cvc5OptionInfo of cvc5.h lays it out.
func (c *cvc5) Options() (all []driver.OptionInfo) {
	tm := c.callC("term_manager_new")
	s := c.callC("new", tm)
	defer func() { c.callC("delete", s); c.callC("term_manager_delete", tm) }()
	for _, name := range c.optionNames(s) {
		w := c.Library.Memory.Words(64)
		c.callC("get_option_info", s, c.Library.Str(name), w.Addr())
		o := driver.OptionInfo{Name: name, Kind: "other"}
		// kind, name, aliases (2), no_supports (2), three bools and a category in two words, then the kinds' parts
		o.Expert = driver.Word32At(w.Addr(), 52) == 1 // CVC5_OPTION_CATEGORY_EXPERT
		const boolPart, textPart, intPart, uintPart, modePart = 56, 64, 80, 120, 200
		word := func(offset int) uint64 { return uint64(driver.WordAt(w.Addr()+uintptr(offset), 0)) }
		switch uint32(w.At(0)) {
		case 1:
			o.Kind, o.Value = "bool", strconv.FormatBool(driver.ByteAt(w.Addr(), boolPart) != 0)
		case 2:
			o.Kind, o.Value = "text", driver.GoString(uintptr(word(textPart)))
		case 3:
			o.Kind, o.Value = "number", strconv.FormatInt(int64(word(intPart)), 10)
			if driver.ByteAt(w.Addr(), intPart+32) != 0 {
				o.Min = strconv.FormatInt(int64(word(intPart+16)), 10)
			}
			if driver.ByteAt(w.Addr(), intPart+33) != 0 {
				o.Max = strconv.FormatInt(int64(word(intPart+24)), 10)
			}
		case 4:
			o.Kind, o.Value = "number", strconv.FormatUint(word(uintPart), 10)
			o.Min = "0"
			if driver.ByteAt(w.Addr(), uintPart+32) != 0 {
				o.Min = strconv.FormatUint(word(uintPart+16), 10)
			}
			if driver.ByteAt(w.Addr(), uintPart+33) != 0 {
				o.Max = strconv.FormatUint(word(uintPart+24), 10)
			}
		case 5:
			o.Kind = "real"
		case 6:
			o.Kind, o.Value = "choice", driver.GoString(uintptr(word(modePart)))
			for i := range int(word(modePart + 16)) {
				o.Values = append(o.Values, driver.GoString(driver.WordAt(uintptr(word(modePart+24)), i)))
			}
		}
		all = append(all, o)
	}
	return all
}

func (c *cvc5) Twin() driver.API {
	return &cvc5{
		Binding: c.Binding, kinds: c.kinds, modes: c.modes, asks: c.asks,
		share: c.share, declared: c.declared, params: c.params, ver: c.ver, names: c.names,
	}
}

func (c *cvc5) Shares(other driver.API) bool {
	x, ok := other.(*cvc5)
	return ok && x.share == c.share && x.tm == c.tm && c.tm != 0
}

func (c *cvc5) functionSort(s *driver.Translation, params []smt.Sort, result smt.Sort) driver.Ref {
	return c.callC("mk_fun_sort", c.tm, uintptr(len(params)), c.Library.Refs(s.SortList(params)), s.Sort(result))
}
