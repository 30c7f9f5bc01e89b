package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/campaigns"
	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/engine/campaign/coordinator"
	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/results/report"
)

func fetch(t *testing.T, url string) (int, string) {
	t.Helper()
	r, err := http.Get(url)
	require.NoError(t, err)
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	require.NoError(t, err)
	return r.StatusCode, string(body)
}

func TestServeUntilInterrupted(t *testing.T) {
	dir := t.TempDir()
	out, in := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	done := make(chan int)
	go func() {
		done <- run(ctx, &command.Env{Stdin: strings.NewReader(""), Stdout: in, Stderr: io.Discard}, []string{"serve", dir, "--addr", "127.0.0.1:0"})
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	url := regexp.MustCompile(`http://127\.0\.0\.1:\d+/`).FindString(line)
	require.NotEmpty(t, url, line)
	code, body := fetch(t, url)
	require.Equal(t, 200, code, "a folder in which nothing happened yet")
	require.Contains(t, body, "No findings")
	run := filepath.Join(dir, "runs", "c", "2026-01-01T00-00-00Z")
	require.NoError(t, os.MkdirAll(run, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(run, "stats.json"), []byte(`{"version":1,"campaign":"c","cases":4711}`), 0o644))
	code, body = fetch(t, url+"run/c/2026-01-01T00-00-00Z") // another page, which cannot reuse data read for the first one
	require.Contains(t, []int{200, 404}, code)
	if code == 200 {
		require.Contains(t, body, "4,711")
	}
	cancel()
	require.Equal(t, command.ExitOK, <-done, "^C is the way to end it")
}

func TestListenLoopback(t *testing.T) {
	for _, addr := range []string{":0", "0", "127.0.0.1:0", "localhost:0"} {
		l, err := command.ListenLoopback(addr, false)
		require.NoError(t, err, addr)
		require.True(t, report.Loopback(l.Addr()), addr)
		l.Close()
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	_, err = command.ListenLoopback(l.Addr().String(), false)
	require.Error(t, err, "somebody else has it")
	other, err := command.ListenLoopback(l.Addr().String(), true)
	require.NoError(t, err)
	other.Close()
	_, err = command.ListenLoopback("127.0.0.1:x", true)
	require.Error(t, err)
}

func TestServeMetrics(t *testing.T) {
	var out bytes.Buffer
	screen := report.NewScreen(&out, &out, nil)
	cfg := &coordinator.Config{}
	got := 0
	cfg.Publish = func(*metrics.Stats) { got++ }
	stop, err := campaigns.ServeMetrics(":0", cfg, screen)
	require.NoError(t, err)
	url := regexp.MustCompile(`http://127\.0\.0\.1:\d+/metrics`).FindString(out.String())
	code, body := fetch(t, url)
	require.Equal(t, 200, code)
	require.NotContains(t, body, "smtlark_cases_total")
	cfg.Publish(&metrics.Stats{CaseStats: metrics.CaseStats{Cases: 4711}})
	require.Equal(t, 1, got, "the screen hears of it too")
	_, body = fetch(t, url)
	require.Contains(t, body, "smtlark_cases_total{campaign=\"\"} 4711\n")
	stop()
	screen.Close()
	_, err = http.Get(url)
	require.Error(t, err)
	_, err = campaigns.ServeMetrics("127.0.0.1:x", cfg, screen)
	require.Error(t, err)
}
