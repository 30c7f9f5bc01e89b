package wire

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	_ "github.com/smtlark/smtlark/internal/rapidseed"
	"github.com/smtlark/smtlark/solvers"
)

func drawRuns(t *rapid.T) []*solvers.Run {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) *solvers.Run {
		return &solvers.Run{
			Class:   rapid.SampledFrom(solvers.Classes()).Draw(t, "class"),
			Answers: rapid.SliceOfN(rapid.SampledFrom([]smtlib.Answer{smtlib.None, smtlib.Sat, smtlib.Unsat, smtlib.Unknown}), 0, 4).Draw(t, "answers"),
			CPU:     time.Duration(rapid.Int64Range(0, 1e6).Draw(t, "cpu")) * time.Microsecond,
			Wall:    time.Duration(rapid.Int64Range(0, 1e6).Draw(t, "wall")) * time.Microsecond,
		}
	}), 0, 4).Draw(t, "runs")
}

// The hand-written form of a result is read back like any other report, and says the same as the runs.
func TestResultsOnTheWire(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		runs := drawRuns(t)
		var out bytes.Buffer
		w := &Writer{Out: &out}
		sent := &CaseResult{N: rapid.Uint64().Draw(t, "n"), Make: rapid.Int64Range(0, 1e9).Draw(t, "make"), Hash: rapid.StringMatching(`[0-9a-f]{0,16}`).Draw(t, "hash")}
		require.NoError(t, w.Result(sent, runs))
		require.Zero(t, out.Len(), "results wait for the next announcement")
		require.NoError(t, w.Announce(7))
		lines := strings.Split(out.String(), "\n")
		require.Len(t, lines, 3)
		read, err := ParseReport([]byte(lines[0]))
		require.NoError(t, err)
		got := read.(*CaseResult)
		codes, err := metrics.ParseRunCodes(got.Runs, len(runs))
		require.NoError(t, err)
		for i, r := range runs {
			require.Equal(t, r.Class, codes[i].Class)
			require.Equal(t, r.CPU, codes[i].CPU)
			require.Equal(t, r.Wall, codes[i].Wall)
			require.Len(t, codes[i].Answers, len(r.Answers))
			for j, a := range r.Answers {
				require.Equal(t, a, metrics.LetterAnswer(codes[i].Answers[j]))
			}
		}
		got.Runs = ""
		require.Equal(t, sent, got)
		next, err := ParseReport([]byte(lines[1]))
		require.NoError(t, err)
		require.Equal(t, &CaseBegun{N: 7}, next)
	})
}

// Whatever a worker writes: reading it gives reports or an error, and nothing else happens.
func FuzzParseReport(f *testing.F) {
	for _, s := range []string{`{"type":"case","n":3}`, `{"type":"case","n":}`, `{"type":"result","n":1,"runs":"1:s:1:1"}`, `{"type":"done","job":-1}`, `[]`, `null`, ``} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		r, err := ParseReport(line)
		if err == nil && r == nil {
			t.Fatal("no report and no error")
		}
		if err == nil {
			if result, ok := r.(*CaseResult); ok {
				_, _ = metrics.ParseRunCodes(result.Runs, 2)
			}
		}
	})
}

func TestReadLine(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	r := bufio.NewReaderSize(strings.NewReader("a\n\n"+long+"\nrest"), 64)
	var buf []byte
	for _, want := range []string{"a", "", long} {
		line, err := ReadLine(r, &buf)
		require.NoError(t, err)
		require.Equal(t, want, string(line))
	}
	_, err := ReadLine(r, &buf)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF, "a line that was cut off is no line")
	_, err = ReadLine(r, &buf)
	require.ErrorIs(t, err, io.EOF)
}

func TestYieldTravels(t *testing.T) {
	r := &CaseResult{N: 3, Make: 5, Technique: "a\"b", Steps: []string{"s\n", "t"}, Repeat: true}
	var out strings.Builder
	w := Writer{Out: &out}
	require.NoError(t, w.Result(r, nil))
	require.NoError(t, w.flushIf(true))
	read, err := ParseReport([]byte(strings.TrimSpace(out.String())))
	require.NoError(t, err)
	got := read.(*CaseResult)
	require.Equal(t, r.Technique, got.Technique)
	require.Equal(t, r.Steps, got.Steps)
	require.True(t, got.Repeat)
}

// A write a case costs as much as making one: announcements wait for one another where they may, findings do not.
func TestAnnouncementsWaitForEachOther(t *testing.T) {
	var out bytes.Buffer
	w := Writer{Out: &out, Wait: time.Hour}
	require.NoError(t, w.Announce(1))
	first := out.Len()
	require.Positive(t, first, "nothing was written for an hour")
	require.NoError(t, w.Announce(2))
	require.NoError(t, w.Announce(3))
	require.Equal(t, first, out.Len())
	require.NoError(t, w.Line(&CaseFailed{N: 3}, true))
	require.Equal(t, 4, bytes.Count(out.Bytes(), []byte("\n")))

	out.Reset()
	at := Writer{Out: &out}
	require.NoError(t, at.Announce(1))
	require.NoError(t, at.Announce(2))
	require.Equal(t, 2, bytes.Count(out.Bytes(), []byte("\n")))
}

// The hand-written parser returns the same as encoding/json, and leaves all other messages to that.
func TestPlainResultsAreReadAsAllOthers(t *testing.T) {
	for _, plain := range []string{
		`{"type":"result","n":7,"make":300,"runs":"1:s:1:1 1:u:2:3"}`,
		`{"type":"result","n":18446744073709551615,"make":0,"hash":"00ff","runs":""}`,
	} {
		want := &CaseResult{}
		require.NoError(t, json.Unmarshal([]byte(plain), want))
		got, err := ParseReport([]byte(plain))
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	for _, other := range []string{
		`{"type":"result","n":7,"make":300,"technique":"x","runs":"1"}`, `{"type":"result","n":7,"make":300,"runs":"a\"b"}`,
		`{"type":"result","n":7,"make":300,"repeat":true,"runs":"1"}`, `{"type":"result","n":7,"make":300,"runs":"1","suppressed":["x"]}`,
		`{"type":"result","n":7,"make":300,"hash":"a\\b","runs":"1"}`,
	} {
		want := &CaseResult{}
		require.NoError(t, json.Unmarshal([]byte(other), want))
		got, err := ParseReport([]byte(other))
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	for _, broken := range []string{`{"type":"result","n":-1,"make":300,"runs":"1"}`, `{"type":"result","n":7,"make":300,"runs":"1"`, `{"type":"result","n":7,"make":x,"runs":"1"}`} {
		_, err := ParseReport([]byte(broken))
		require.Error(t, err, broken)
	}
}
