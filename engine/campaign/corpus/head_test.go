package corpus

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHeadInfo(t *testing.T) {
	for text, want := range map[string][2]string{
		"(set-logic QF_BV)\n(set-info :status unsat)(check-sat)":                                           {"QF_BV", "unsat"},
		"; (set-logic X)\n(set-info :source |(set-logic Y) (set-info :status sat)|)\n( set-logic Z)":       {"", ""},
		"(set-info :status unknown)(set-info :s \"(set-logic A)\")(set-logic ALL)(check-sat)(set-logic B)": {"ALL", "unknown"},
		"(set-info :a \"\")(set-info :b ||)(set-logic ALL)(set-info :status sat)":                          {"ALL", "sat"},
		"(set-logic)(set-info :status)(set-info)(set-logic A)":                                             {"A", ""},
		"(check-sat)(set-info :status sat)":                                                                {"", ""},
		"(set-logic":                                                                                       {"", ""}, "": {"", ""}, "(set-info :source |": {"", ""},
	} {
		logic, status := headInfo([]byte(text))
		require.Equal(t, want, [2]string{logic, status}, text)
	}
}
