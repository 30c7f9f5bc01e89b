package cluster_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/smtlark/smtlark/engine/campaign/cluster"
	_ "github.com/smtlark/smtlark/internal/rapidseed"
)

// TestTextsInParts: a text comes out as it went in, in whatever order its parts come and however often, and not before
// the last of them is there.
func TestTextsInParts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.SampledFrom([]int{0, 1, 1000, cluster.MaxMessage, 3*cluster.MaxMessage + 17}).Draw(t, "size")
		state := rapid.Uint32().Draw(t, "seed")
		text := make([]byte, size)
		for i := range text { // nothing that can be compressed
			state = state*1664525 + 1013904223
			text[i] = byte(state >> 24)
		}
		messages := cluster.Split("subject", "id", nats.Header{"Own": {"value"}}, text)
		ids := map[string]bool{}
		for _, m := range messages {
			require.LessOrEqual(t, len(m.Data), cluster.MaxMessage)
			require.Equal(t, "value", m.Header.Get("Own"))
			ids[m.Header.Get(nats.MsgIdHdr)] = true
		}
		require.Len(t, ids, len(messages), "each part has an id of its own")

		parts := cluster.NewParts(cluster.MaxText)
		left := rapid.Permutation(messages).Draw(t, "order")
		for i, m := range left {
			if i > 0 && rapid.Bool().Draw(t, "twice") {
				whole, err := parts.Add(left[i-1].Header, left[i-1].Data)
				require.NoError(t, err)
				require.Nil(t, whole)
			}
			whole, err := parts.Add(m.Header, m.Data)
			require.NoError(t, err)
			if i < len(left)-1 {
				require.Nil(t, whole)
			} else {
				require.Equal(t, string(text), string(whole))
			}
		}
	})
}

// TestHostileParts: what says of itself that it has more parts than may be, or other parts than before, or no text, is
// an error.
func TestHostileParts(t *testing.T) {
	header := func(parts, part string) nats.Header {
		return nats.Header{cluster.HeaderParts: {parts}, cluster.HeaderPart: {part}}
	}
	for _, h := range []nats.Header{nil, header("", "0"), header("0", "0"), header("-1", "0"), header("2", "2"), header("2", "-1"), header("2", "x"), header("99999999999", "0")} {
		p := cluster.NewParts(cluster.MaxText)
		_, err := p.Add(h, []byte("x"))
		require.Error(t, err, "%v", h)
	}
	p := cluster.NewParts(cluster.MaxText)
	_, err := p.Add(header("2", "0"), []byte("x"))
	require.NoError(t, err)
	_, err = p.Add(header("3", "1"), []byte("x"))
	require.EqualError(t, err, "a message of 2 parts and of 3")
	_, err = p.Add(header("2", "1"), []byte("x"))
	require.EqualError(t, err, "a message that cannot be unpacked")
	// A length of 4 GB in five bytes: nothing is made for it.
	_, err = cluster.NewParts(cluster.MaxText).Add(header("1", "0"), []byte{0xff, 0xff, 0xff, 0xff, 0x0f})
	require.EqualError(t, err, "a message that is longer than any should be")
	// A gibibyte of newlines in some hundred bytes, and more parts than the text may have: neither is kept.
	bomb := cluster.Split("subject", "id", nil, make([]byte, cluster.MaxLetter+1))
	require.Len(t, bomb, 1)
	_, err = cluster.NewParts(cluster.MaxLetter).Add(bomb[0].Header, bomb[0].Data)
	require.EqualError(t, err, "a message that is longer than any should be")
	_, err = cluster.NewParts(cluster.MaxText).Add(bomb[0].Header, bomb[0].Data)
	require.NoError(t, err)
	small := cluster.NewParts(10)
	_, err = small.Add(header("1", "0"), make([]byte, 1000))
	require.EqualError(t, err, "a message that is longer than any should be")
}

// TestBuildsDiffer: a machine that has not the solvers of a campaign hears which one, and how it differs.
func TestBuildsDiffer(t *testing.T) {
	campaign := []cluster.Build{{Target: "z3", SHA256: "0123456789abcdef"}, {Target: "cvc5", SHA256: ""}}
	for _, c := range []struct {
		here []cluster.Build
		want string
	}{
		{[]cluster.Build{campaign[1], campaign[0]}, ""},
		{campaign[:1], "the campaign asks cvc5, which this machine does not have"},
		{[]cluster.Build{{Target: "z3", SHA256: "ff"}, campaign[1]}, "the campaign asks z3 of build 0123456789ab, here it is of build ff"},
		{[]cluster.Build{{Target: "z3"}, campaign[1]}, "the campaign asks z3 of build 0123456789ab, here it is of an unknown build"},
		{append(campaign[:2:2], cluster.Build{Target: "yices"}), "the campaign file finds 3 targets here and 2 at its coordinator: name the solvers that it is to use"},
	} {
		if err := cluster.Differ(campaign, c.here); c.want == "" {
			require.NoError(t, err)
		} else {
			require.EqualError(t, err, c.want)
		}
	}
}

// TestNames: a campaign's name follows from what it depends on, where one part ends and the next begins included.
func TestNames(t *testing.T) {
	require.Equal(t, cluster.NameOf("a", "b"), cluster.NameOf("a", "b"))
	require.NotEqual(t, cluster.NameOf("a", "b"), cluster.NameOf("ab"))
	require.NotEqual(t, cluster.NameOf("a", "b"), cluster.NameOf("b", "a"))
	require.NotEqual(t, cluster.NameOf("a"), cluster.NameOf("a", ""))

	first, second := cluster.LeaderTerm{Epoch: 1, Revision: 9}, cluster.LeaderTerm{Epoch: 2, Revision: 1}
	require.True(t, first.Before(second), "servers that made the leases anew come later, whatever their numbers")
	require.False(t, second.Before(first))
	require.True(t, first.Before(cluster.LeaderTerm{Epoch: 1, Revision: 10}))
	require.False(t, first.Before(first))
}

// TestWorkerCredentials checks that a worker's credentials allow only access to its campaign, and that they expire.
func TestWorkerCredentials(t *testing.T) {
	keys := filepath.Join(t.TempDir(), "keys")
	require.NoError(t, cluster.MakeKeys(keys, cluster.DeployedHosts))
	until := time.Now().Add(time.Hour)
	campaign := cluster.NameOf("mine")
	text, err := cluster.WorkerCredentials(filepath.Join(keys, cluster.SigningKeyFile), campaign, until)
	require.NoError(t, err)
	token, err := jwt.ParseDecoratedJWT(text)
	require.NoError(t, err)
	claims, err := jwt.DecodeUserClaims(token)
	require.NoError(t, err)
	require.Equal(t, until.Unix(), claims.Expires)
	for _, subject := range append(claims.Pub.Allow, claims.Sub.Allow...) {
		require.Contains(t, subject, string(campaign), "one of another campaign, or of all")
		require.NotContains(t, subject, "STREAM.DELETE")
		require.NotContains(t, subject, "STREAM.PURGE")
	}
	for _, file := range []string{cluster.CoordinatorFile, cluster.ServerKeys, cluster.SigningKeyFile} {
		info, err := os.Stat(filepath.Join(keys, file))
		require.NoError(t, err)
		require.Zero(t, info.Mode().Perm()&0o077, "%s is for its owner alone", file)
	}

	_, err = cluster.WorkerCredentials(filepath.Join(keys, cluster.CoordinatorFile), campaign, until)
	require.ErrorContains(t, err, "is no signing key: smtlark cluster keys makes one")
	_, err = cluster.WorkerCredentials(filepath.Join(keys, "nothing"), campaign, until)
	require.ErrorIs(t, err, os.ErrNotExist)
}

// TestTokens: a file that is no token is said to be none, and how to get one.
func TestTokens(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	for _, text := range []string{"", "{}", `{"user": "worker"}`, "not JSON"} {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		_, err := cluster.ReadToken(file)
		require.ErrorContains(t, err, file+" is no token: copy the file that the coordinator named when it started")
	}
	require.NoError(t, os.WriteFile(file, []byte(`{"user": "worker", "password": "secret", "campaign": "c", "certificate": "none"}`), 0o600))
	token, err := cluster.ReadToken(file)
	require.NoError(t, err)
	_, err = cluster.Connect(&cluster.Access{URLs: "nats://127.0.0.1:1", Token: token}, "test")
	require.ErrorContains(t, err, "the token has no certificate that can be read")
}

// TestSecretsStayOutOfMessages: names and passwords of an address are in no error.
func TestSecretsStayOutOfMessages(t *testing.T) {
	const urls = "nats://name:secret@127.0.0.1:1,nats://name:secret@127.0.0.1:2"
	require.Equal(t, "nats://127.0.0.1:1,nats://127.0.0.1:2", cluster.WithoutSecrets(urls))
	_, err := cluster.Connect(&cluster.Access{URLs: urls}, "test")
	require.ErrorContains(t, err, "no NATS server answers at nats://127.0.0.1:1,nats://127.0.0.1:2")
	require.NotContains(t, err.Error(), "secret")
	require.True(t, cluster.IsUnanswered(err))
	require.False(t, cluster.IsUnanswered(errors.New("something else")))
}
