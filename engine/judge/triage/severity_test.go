package triage_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/judge/triage"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

func TestRankOfDevelopers(t *testing.T) {
	order := []struct {
		v oracle.Verdict
		s triage.Setting
		w triage.Severity
	}{
		{oracle.Verdict{Kind: oracle.KindKnownAnswer, Got: smtlib.Unsat}, triage.SeveralOptions, triage.WrongUnsat},
		{oracle.Verdict{Kind: oracle.KindDisagreement, Got: smtlib.Unsat}, triage.DefaultSetting, triage.WrongUnsat},
		{oracle.Verdict{Kind: oracle.KindKnownAnswer, Got: smtlib.Sat}, triage.DefaultSetting, triage.WrongSat},
		{oracle.Verdict{Kind: oracle.KindInvalidModel, Got: smtlib.Sat}, triage.OneOption, triage.WrongSat},
		{oracle.Verdict{Kind: oracle.KindInvalidCore}, triage.SafeSetting, triage.WrongSat},
		{oracle.Verdict{Kind: "lost-model", Severity: "wrong sat"}, triage.SeveralOptions, triage.WrongSat},
		{oracle.Verdict{Kind: oracle.KindCrash}, triage.SafeSetting, triage.CrashByDefault},
		{oracle.Verdict{Kind: oracle.KindCrash}, triage.WithOptions(0), triage.CrashByDefault},
		{oracle.Verdict{Kind: oracle.KindCrash}, triage.WithOptions(1), triage.CrashWithOptions},
		{oracle.Verdict{Kind: oracle.KindCrash}, triage.WithOptions(2), triage.CrashWithOptions},
		{oracle.Verdict{Kind: "slow"}, triage.DefaultSetting, triage.Other},
		{oracle.Verdict{Kind: oracle.KindCrash, Severity: "other"}, triage.DefaultSetting, triage.Other},
	}
	last := triage.Severity(0)
	for _, c := range order {
		got := triage.SeverityOf(&c.v, c.s)
		require.Equal(t, c.w, got, "%s %s", c.v.Kind, c.s)
		require.GreaterOrEqual(t, got, last)
		last = got
		text, err := got.MarshalText()
		require.NoError(t, err)
		var back triage.Severity
		require.NoError(t, back.UnmarshalText(text))
		require.Equal(t, got, back)
	}
	require.Error(t, new(triage.Severity).UnmarshalText([]byte("bad")))
}
