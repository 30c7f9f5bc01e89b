package results

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/engine/results/report"
)

func init() {
	command.Register("serve", newServe)
}

// serveAddr is the default address of serve, if it is free.
const serveAddr = "127.0.0.1:8420"

const serveAbout = `Shows the report about a folder of findings and runs, or about one run, in a browser, and keeps it up to date while
campaigns run. It reads files only and can be started and stopped at any time; ^C ends it.

It listens on the loopback interface only and refuses other addresses: to look from another machine, forward the port
(ssh -L). Beside the pages there are /report.html, .md, .json, .junit and .sarif, and /metrics for Prometheus.`

func newServe(e *command.Env) *cobra.Command {
	c := &cobra.Command{
		Use:     "serve [FOLDER | RUN] [flags]",
		Short:   "show reports live in a browser",
		Long:    serveAbout,
		GroupID: command.GroupCampaigns,
	}
	flags := c.Flags()
	addr := flags.String("addr", serveAddr, "loopback `address` and port to listen on; port 0 takes a free one")
	out := flags.String("out", "", "the same as FOLDER, as smtlark run names it")
	command.Does(c, func(ctx context.Context) int {
		dir, err := FolderArg(flags, *out)
		if err != nil {
			return e.UsageError("serve", "%v", err)
		}
		if !exists(dir) {
			return e.UsageError("serve", "no such folder: %s", dir)
		}
		l, err := command.ListenLoopback(*addr, !flags.Changed("addr"))
		if err != nil {
			return e.UsageError("serve", "--addr %v", err)
		}
		if !report.Loopback(l.Addr()) {
			l.Close()
			return e.UsageError("serve", "--addr %s: want a loopback address, such as 127.0.0.1:8420: pages show whatever findings contain", *addr)
		}
		fmt.Fprintf(e.Stdout, "serving %s at http://%s/ (^C ends it)\n", dir, l.Addr())
		return serveUntil(ctx, e, "serve", l, report.NewServer(dir, "smtlark "+command.Version()).Handler())
	})
	return c
}

// serveUntil serves until ctx is done.
func serveUntil(ctx context.Context, e *command.Env, verb string, l net.Listener, h http.Handler) int {
	server := &http.Server{Handler: h, ReadHeaderTimeout: 5 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10}
	done := make(chan error, 1)
	go func() { done <- server.Serve(l) }()
	select {
	case err := <-done:
		return e.Fail(command.ExitInternal, verb, err)
	case <-ctx.Done():
	}
	end, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if server.Shutdown(end) != nil {
		server.Close()
	}
	return command.ExitOK
}
