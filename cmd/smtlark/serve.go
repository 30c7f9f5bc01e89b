package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/smtlark/smtlark/engine/report"
	"github.com/smtlark/smtlark/engine/system"
)

func init() {
	register(verb{Name: "serve", Summary: "show reports live in a browser", Group: groupCampaigns, Run: runServe})
}

// serveAddr is where serve listens when nobody says otherwise and nothing else does.
const serveAddr = "127.0.0.1:8420"

const serveAbout = `Shows the report about a folder of findings and runs, or about one run, in a browser, and keeps it up to date while
campaigns run. It reads files only and can be started and stopped at any time; ^C ends it.

It listens on the loopback interface only and refuses other addresses: to look from another machine, forward the port
(ssh -L). Beside the pages there are /report.html, .md, .json, .junit and .sarif, and /metrics for Prometheus.`

func runServe(ctx context.Context, e *env, args []string) int {
	flags := pflag.NewFlagSet("serve", pflag.ContinueOnError)
	addr := flags.String("addr", serveAddr, "loopback `address` and port to listen on; port 0 takes a free one")
	if code, done := e.parse(flags, "serve [FOLDER | RUN] [flags]", serveAbout, args); done {
		return code
	}
	dir, err := folderArg(flags)
	if err != nil {
		return e.usageError("serve", "%v", err)
	}
	if !exists(dir) {
		return e.usageError("serve", "no such folder: %s", dir)
	}
	l, err := listenLoopback(*addr, !flags.Changed("addr"))
	if err != nil {
		return e.usageError("serve", "--addr %v", err)
	}
	if !report.Loopback(l.Addr()) {
		l.Close()
		return e.usageError("serve", "--addr %s: want a loopback address, such as 127.0.0.1:8420: pages show whatever findings contain", *addr)
	}
	fmt.Fprintf(e.Stdout, "serving %s at http://%s/ (^C ends it)\n", dir, l.Addr())
	return serveUntil(ctx, e, "serve", l, report.NewServer(dir, "smtlark "+version()).Handler())
}

// listenLoopback listens; an address without a host means the loopback interface. With fallback it takes a free port when
// the given one is taken.
func listenLoopback(addr string, fallback bool) (net.Listener, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil && !strings.Contains(addr, ":") { // a port alone
		host, port, err = "", addr, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", addr, err)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	l, err := net.Listen("tcp", net.JoinHostPort(host, port))
	if fallback && system.AddressInUse(err) {
		l, err = net.Listen("tcp", net.JoinHostPort(host, "0"))
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", addr, err)
	}
	return l, nil
}

// serveUntil serves until ctx is done.
func serveUntil(ctx context.Context, e *env, verb string, l net.Listener, h http.Handler) int {
	server := &http.Server{Handler: h, ReadHeaderTimeout: 5 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10}
	done := make(chan error, 1)
	go func() { done <- server.Serve(l) }()
	select {
	case err := <-done:
		return e.fail(exitInternal, verb, err)
	case <-ctx.Done():
	}
	end, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if server.Shutdown(end) != nil {
		server.Close()
	}
	return exitOK
}
