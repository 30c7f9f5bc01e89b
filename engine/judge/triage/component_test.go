package triage_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/judge/triage"
)

func TestComponent(t *testing.T) {
	for _, c := range []struct {
		output   string
		skeleton []string
		want     string
	}{
		{"Fatal failure within int cvc5::f() at /build/src/theory/strings/regexp_elim.cpp:123\nCheck failure\n x == y", []string{"+"}, "theory/strings/regexp_elim.cpp"},
		{"ASSERTION VIOLATION\nFile: ../src/smt/theory_seq.cpp\nLine: 12\nx > 0", nil, "smt/theory_seq.cpp"},
		{"bitwuzla: ../src/bv/bitvector.cpp:215: f: Assertion `a' failed.", nil, "bv/bitvector.cpp"},
		{"bitwuzla: src/bv/bitvector.cpp:215: f: Assertion `a' failed.", nil, "bv/bitvector.cpp"},
		{"bitwuzla: resrc/bv/bitvector.cpp:215: f: Assertion `a' failed.", nil, "bitvector.cpp"},
		{"x: bitvector.cpp:215: f: Assertion `a' failed.", nil, "bitvector.cpp"},
		{"#0 0x1 in cvc5::internal::theory::uf::Eq::run() (/x)", nil, "cvc5::internal::theory::uf::Eq"},
		{"#0 0x1 in golem@b755ad07+0x4d29ca (golem+0x4d29da)", []string{"str.len"}, "Strings"},
		{"SIGSEGV", []string{"str.++", "and", "str.len"}, "Strings"},
		{"", []string{"and", "(get-model)"}, "Core"},
		{"", []string{"bvadd", "fp.add", "="}, "FixedSizeBitVectors, FloatingPoint"},
		{"SIGSEGV", []string{"=", "sort datatype", "logic ALL"}, "Datatypes"},
		{"", []string{"bvadd", "sort datatype"}, "FixedSizeBitVectors"},
		{"", nil, ""},
	} {
		require.Equal(t, c.want, triage.Component(c.output, c.skeleton), c.output)
	}
}
