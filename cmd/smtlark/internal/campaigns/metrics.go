package campaigns

import (
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/engine/campaign/coordinator"
	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/results/report"
)

// ServeMetrics serves the metrics of a campaign at /metrics while it runs; an address without a host is of the loopback
// interface. It wraps the campaign's Publish. stop ends it.
func ServeMetrics(addr string, cfg *coordinator.Config, screen *report.Screen) (stop func(), err error) {
	l, err := command.ListenLoopback(addr, false)
	if err != nil {
		return nil, err
	}
	var latest atomic.Pointer[metrics.Stats]
	publish := cfg.Publish
	cfg.Publish = func(s *metrics.Stats) {
		latest.Store(s)
		if publish != nil {
			publish(s)
		}
	}
	mux := http.NewServeMux()
	mux.Handle("/metrics", report.MetricsHandler(func() []*metrics.Stats {
		if s := latest.Load(); s != nil {
			return []*metrics.Stats{s}
		}
		return nil
	}))
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10}
	go func() { _ = server.Serve(l) }() // it ends with the campaign
	screen.Println(coordinator.LinePrint, fmt.Sprintf("metrics at http://%s/metrics", l.Addr()))
	return func() { server.Close() }, nil
}
