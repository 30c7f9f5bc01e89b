package process

import (
	"io"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestPromptReader checks that available data, late data and the end of a pipe are read as from the pipe itself.
func TestPromptReader(t *testing.T) {
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	p := NewPromptReader(r)
	block := make([]byte, 8)
	for i := range 3 * promptEvery {
		_, err := w.Write([]byte{byte(i)})
		require.NoError(t, err)
		n, err := p.Read(block)
		require.NoError(t, err)
		require.Equal(t, []byte{byte(i)}, block[:n])
	}
	for range 3 * promptLimit { // nothing is there
		require.Zero(t, p.ReadPrompt(block))
	}
	if runtime.GOOS == "linux" {
		require.Equal(t, promptLimit, p.late, "so it is read as any other pipe")
	}
	go func() {
		_, _ = w.Write([]byte("late"))
		w.Close()
	}()
	rest, err := io.ReadAll(p)
	require.NoError(t, err)
	require.Equal(t, "late", string(rest))
}

// TestTimeIsOverThoughThereIsSomethingToRead: a process that always has a little to say does not put off the look at
// its limits.
func TestTimeIsOverThoughThereIsSomethingToRead(t *testing.T) {
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	defer w.Close()
	_, err = w.Write([]byte("more"))
	require.NoError(t, err)
	c := &child{stdout: &waitedPipe{r}, prompt: NewPromptReader(r), done: make(chan struct{})}
	c.readUntil(time.Now().Add(-time.Second))
	var block [8]byte
	_, err = c.readOutput(block[:])
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
	c.readUntil(time.Now().Add(time.Hour))
	n, err := c.readOutput(block[:])
	require.NoError(t, err)
	require.Equal(t, "more", string(block[:n]))
}

// TestOutputOfTheDead checks that output written before a process died is read even after the grace period, which can
// pass if another process holds the pipe open.
func TestOutputOfTheDead(t *testing.T) {
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	defer w.Close()
	_, err = w.Write([]byte("last"))
	require.NoError(t, err)
	c := &child{stdout: &waitedPipe{r}, dead: true, grace: time.Now().Add(-time.Second), done: make(chan struct{})}
	c.readUntil(time.Now().Add(time.Hour))
	var block [8]byte
	n, err := c.readOutput(block[:])
	require.NoError(t, err)
	require.Equal(t, "last", string(block[:n]))
	_, err = c.readOutput(block[:])
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
}
