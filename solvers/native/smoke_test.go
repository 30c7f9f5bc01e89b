package native

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/process"
)

func TestSmoke(t *testing.T) {
	var ps []*solvers.Profile
	for _, k := range Kinds() {
		ps = append(ps, &solvers.Profile{Name: k, Binaries: []string{}})
	}
	for _, s := range Discover(context.Background(), ps, nil) {
		fmt.Printf("%s %q %s %v\n", s.Name, s.Version, s.Unusable, s.Exec)
		if s.Unusable != "" {
			continue
		}
		tg := New(s, process.Options{})
		for _, text := range []string{
			"(set-logic QF_BV)(declare-const x (_ BitVec 8))(declare-const y (_ BitVec 8))(assert (= (bvmul x y) #x2d))(assert (bvult x y))(check-sat)",
			"(set-logic QF_UFBV)(declare-fun f ((_ BitVec 8)) (_ BitVec 8))(declare-const x (_ BitVec 8))(assert (distinct (f x) (f (bvadd x #x01))))(check-sat)",
			"(declare-const x Int)(assert (> x 3))(assert (< x 5))(check-sat)(get-value (x (+ x 1)))",
		} {
			sc, err := smtlib.Parse("x", []byte(text), smt.NewArena())
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				b := time.Now()
				r := tg.Run(context.Background(), solvers.FromScript(sc).WithModel(), solvers.Limits{})
				fmt.Println(r.Class, r.Message, r.Answers, r.Values, r.Stderr, r.CPU, time.Since(b))
			}
		}
		tg.Close()
	}
}
