package severity_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/judge/severity"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

func TestRankOfDevelopers(t *testing.T) {
	order := []struct {
		v oracle.Verdict
		s severity.Setting
		w severity.Severity
	}{
		{oracle.Verdict{Kind: oracle.KindKnownAnswer, Got: smtlib.Unsat}, severity.SeveralOptions, severity.WrongUnsat},
		{oracle.Verdict{Kind: oracle.KindDisagreement, Got: smtlib.Unsat}, severity.Default, severity.WrongUnsat},
		{oracle.Verdict{Kind: oracle.KindKnownAnswer, Got: smtlib.Sat}, severity.Default, severity.WrongSat},
		{oracle.Verdict{Kind: oracle.KindInvalidModel, Got: smtlib.Sat}, severity.OneOption, severity.WrongSat},
		{oracle.Verdict{Kind: oracle.KindInvalidCore}, severity.Safe, severity.WrongSat},
		{oracle.Verdict{Kind: "lost-model", Severity: "wrong sat"}, severity.SeveralOptions, severity.WrongSat},
		{oracle.Verdict{Kind: oracle.KindCrash}, severity.Safe, severity.CrashByDefault},
		{oracle.Verdict{Kind: oracle.KindCrash}, severity.WithOptions(0), severity.CrashByDefault},
		{oracle.Verdict{Kind: oracle.KindCrash}, severity.WithOptions(1), severity.CrashWithOptions},
		{oracle.Verdict{Kind: oracle.KindCrash}, severity.WithOptions(2), severity.CrashWithOptions},
		{oracle.Verdict{Kind: "slow"}, severity.Default, severity.Other},
		{oracle.Verdict{Kind: oracle.KindCrash, Severity: "other"}, severity.Default, severity.Other},
	}
	last := severity.Severity(0)
	for _, c := range order {
		got := severity.Of(&c.v, c.s)
		require.Equal(t, c.w, got, "%s %s", c.v.Kind, c.s)
		require.GreaterOrEqual(t, got, last)
		last = got
		text, err := got.MarshalText()
		require.NoError(t, err)
		var back severity.Severity
		require.NoError(t, back.UnmarshalText(text))
		require.Equal(t, got, back)
	}
	require.Error(t, new(severity.Severity).UnmarshalText([]byte("bad")))
}
