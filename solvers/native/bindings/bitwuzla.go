package bindings

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/native/driver"
)

// bitwuzla is the API over libbitwuzla (bitwuzla/c/bitwuzla.h, versions with a term manager: 0.4 and later). The
// library reports errors through an abort callback. If the callback returns, the function returns null and the library
// stays usable, so this callback returns.
type bitwuzla struct {
	driver.Binding
	tm, opts, solver driver.Ref
	kinds            map[string]uint32 // numbers by name: they differ between versions
	info             []bitwuzlaOption
	flag             []byte // "0" or "1", what the termination callback reads
	share            *driver.Shared
	noReal           driver.Ref // stands for constants of sort Real, which only to_fp takes
}

type bitwuzlaOption struct {
	driver.OptionInfo
	number uint32
}

// abortMessage is the text that the abort callback got, "" for nothing. All calls are made on one thread.
var abortMessage string

// NewBitwuzla returns the binding for a loaded library of Bitwuzla; an error names a missing feature.
func NewBitwuzla(l *driver.Library) (driver.API, error) {
	for _, name := range []string{"bitwuzla_term_manager_new", "bitwuzla_set_abort_callback", "bitwuzla_kind_to_string"} {
		if !l.Has(name) {
			return nil, fmt.Errorf("%s has no function %s: it is no libbitwuzla, or one before version 0.4", l.Path, name)
		}
	}
	b := &bitwuzla{Binding: driver.Binding{Library: l}, share: &driver.Shared{}, kinds: map[string]uint32{},
		flag: driver.MapMemory(16)}
	l.Call("bitwuzla_set_abort_callback", driver.NewCallback(func(msg uintptr) {
		if abortMessage = driver.GoString(msg); abortMessage == "" {
			abortMessage = "an error without a message"
		}
	}))
	for k := uint32(0); k < 1000; k++ {
		name := l.Text("bitwuzla_kind_to_string", uintptr(k))
		if abortMessage != "" || name == "" || strings.Contains(name, "NUM_KINDS") {
			break
		}
		b.kinds[strings.TrimPrefix(name, "BITWUZLA_KIND_")] = k
	}
	abortMessage = ""
	return b, nil
}

// callC calls a function and throws the error that the abort callback got.
func (b *bitwuzla) callC(name string, args ...uintptr) driver.Ref {
	r := b.Library.Call(name, args...)
	if abortMessage != "" {
		msg := abortMessage
		abortMessage = ""
		panic(driver.Refuse(solvers.Refusal, strings.TrimSpace(msg)))
	}
	return r
}

func (b *bitwuzla) callForText(name string, args ...uintptr) string {
	return driver.GoString(b.callC(name, args...))
}

func (b *bitwuzla) Version() string { return b.callForText("version") }

// optionTable reads the library's description of its options, as BitwuzlaOptionInfo of bitwuzla.h lays it out.
func (b *bitwuzla) optionTable() []bitwuzlaOption {
	if b.info != nil {
		return b.info
	}
	opts := b.callC("options_new")
	defer b.callC("options_delete", opts)
	for n := uint32(0); n < 1000; n++ {
		w := b.Library.Memory.Words(16)
		b.Library.Call("bitwuzla_get_option_info", opts, uintptr(n), w.Addr())
		if abortMessage != "" || w.At(2) == 0 {
			abortMessage = ""
			break
		}
		o := bitwuzlaOption{number: n, OptionInfo: driver.OptionInfo{Name: driver.GoString(w.At(2)),
			Doc: driver.GoString(w.At(3)), Kind: "text"}}
		switch {
		case driver.ByteAt(w.Addr(), 32) != 0:
			o.Kind, o.Value = "number", strconv.FormatUint(uint64(w.At(6)), 10)
			o.Min, o.Max = strconv.FormatUint(uint64(w.At(7)), 10), strconv.FormatUint(uint64(w.At(8)), 10)
			if o.Min == "0" && o.Max == "1" {
				o.Kind = "bool"
			}
		case driver.ByteAt(w.Addr(), 33) != 0:
			o.Kind, o.Value = "choice", driver.GoString(w.At(10))
			for i := range int(w.At(11)) {
				o.Values = append(o.Values, driver.GoString(driver.WordAt(w.At(12), i)))
			}
		}
		b.info = append(b.info, o)
	}
	return b.info
}

// Learn reads the options of the library, which b caches.
func (b *bitwuzla) Learn() { b.optionTable() }

func (b *bitwuzla) Options() (all []driver.OptionInfo) {
	for _, o := range b.optionTable() {
		all = append(all, o.OptionInfo)
	}
	return all
}

func (b *bitwuzla) Twin() driver.API {
	return &bitwuzla{Binding: b.Binding, kinds: b.kinds, info: b.info, share: b.share, flag: driver.MapMemory(16)}
}

func (b *bitwuzla) Shares(other driver.API) bool {
	x, ok := other.(*bitwuzla)
	return ok && x.share == b.share && x.tm == b.tm && b.tm != 0
}

func (b *bitwuzla) functionSort(s *driver.Translation, params []smt.Sort, result smt.Sort) driver.Ref {
	return b.callC("mk_fun_sort", b.tm, uintptr(len(params)), b.Library.Refs(s.SortList(params)), s.Sort(result))
}
