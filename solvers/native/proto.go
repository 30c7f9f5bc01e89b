package native

import (
	"time"

	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/native/driver"
)

// A message between a target and its child is a line of JSON; in a request, the script or trace text follows. Messages
// about runs are packed instead (see packedMark). The child answers each request with one message.

// request is a question to a child.
type request struct {
	// Op is hello, run, open, call, sort, term or close.
	Op   string     `json:"op"`
	Seed uint64     `json:"seed,omitempty"` // of a call of a live session
	Vars []setting2 `json:"vars,omitempty"` // free variables of a term to make, with their sorts
	// Fields of run: the kind of text, how to play it, and which commands depend on an answer.
	Trace     bool           `json:"trace,omitempty"` // a trace (tracetext.Read), else SMT-LIB
	Options   []setting2     `json:"options,omitempty"`
	Models    bool           `json:"models,omitempty"`
	Cores     bool           `json:"cores,omitempty"`
	When      map[int]string `json:"when,omitempty"`      // command number: answer it waits for
	Plain     bool           `json:"plain,omitempty"`     // never choose among equivalent calls
	Shares    bool           `json:"shares,omitempty"`    // see solvers.Query
	Wall      time.Duration  `json:"wall,omitempty"`      // for the whole run; checks are stopped when it is over
	Budget    time.Duration  `json:"budget,omitempty"`    // CPU time after which checks are stopped
	TimeLimit time.Duration  `json:"timeLimit,omitempty"` // of one check
	Resources uint64         `json:"resources,omitempty"`
	Clock     bool           `json:"clock,omitempty"` // measure what time goes into the library
}

// setting2 is an option in a message, or a variable and its sort.
type setting2 struct{ Name, Value string }

// reply is the answer of a child.
type reply struct {
	// Of hello.
	Version string              `json:"version,omitempty"`
	Options []driver.OptionInfo `json:"options,omitempty"`
	Error   string              `json:"error,omitempty"` // why the library cannot be used
	// Of run.
	Answers []smtlib.Answer   `json:"answers,omitempty"`
	Values  []string          `json:"values,omitempty"`
	Failed  []solvers.Failure `json:"failed,omitempty"` // of further solvers, see solvers.Run
	Class   solvers.Class     `json:"class,omitempty"`
	Message string            `json:"message,omitempty"`
	Stderr  string            `json:"stderr,omitempty"`
	Calls   uint64            `json:"calls,omitempty"`
	Inside  time.Duration     `json:"inside,omitempty"`  // CPU time inside of the library
	Numbers []int             `json:"numbers,omitempty"` // of assertions or assumptions
	Alone   bool              `json:"alone,omitempty"`   // the run had a solver of its own
	// Last is set when the child ends behind this message: the library's state cannot be trusted any more.
	Last bool `json:"last,omitempty"`

	packed bool // send it packed
}
