package cluster

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/smtlark/smtlark/engine/ground/pattern"
)

// Access has the addresses of servers and the credentials for them.
type Access struct {
	URLs        string // separated by commas
	Token       *Token // of an embedded server
	Credentials string // a file of credentials, of other servers; "": none
	Authority   string // a file with certificates of authorities in PEM; "": those of the system
}

// ServerName is the name in the certificate of an embedded server: machines know it by many addresses.
const ServerName = "smtlark"

// Connection is a connection to a cluster.
type Connection struct {
	Conn   *nats.Conn
	Stream jetstream.JetStream
	// Campaign is the only campaign that the connection serves; "" means all.
	Campaign Campaign
}

// Connect connects to a cluster. A lost connection is retried without limit. name is our client name on the servers.
func Connect(a *Access, name string) (*Connection, error) {
	c := &Connection{}
	options := []nats.Option{
		nats.Name(name), nats.MaxReconnects(-1), nats.ReconnectWait(250 * time.Millisecond), nats.ReconnectJitter(250*time.Millisecond, 250*time.Millisecond),
		nats.PingInterval(2 * time.Second), nats.MaxPingsOutstanding(2), nats.Timeout(5 * time.Second), nats.IgnoreAuthErrorAbort(),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}),
	}
	if t := a.Token; t != nil {
		c.Campaign = t.Campaign
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM([]byte(t.Certificate)) {
			return nil, errors.New("the token has no certificate that can be read: copy its file again from the machine of the coordinator")
		}
		options = append(options, nats.UserInfo(t.User, t.Password), nats.Secure(&tls.Config{RootCAs: pool, ServerName: ServerName, MinVersion: tls.VersionTLS13}))
		if t.User == WorkerUser {
			options = append(options, nats.CustomInboxPrefix(inboxOf(t.Campaign)))
		}
	}
	if a.Credentials != "" {
		if _, err := os.Stat(a.Credentials); err != nil {
			return nil, fmt.Errorf("credentials: %w", err)
		}
		options = append(options, nats.UserCredentials(a.Credentials))
		if c.Campaign = campaignOf(a.Credentials); c.Campaign != "" {
			options = append(options, nats.CustomInboxPrefix(inboxOf(c.Campaign)))
		}
	}
	if a.Authority != "" {
		options = append(options, nats.RootCAs(a.Authority))
	}
	conn, err := nats.Connect(a.URLs, options...)
	if err != nil {
		return nil, explain(a.URLs, err)
	}
	if conn.AuthRequired() && a.Token == nil && a.Credentials == "" && !strings.Contains(a.URLs, "@") {
		conn.Close()
		return nil, fmt.Errorf("%s asks who connects: give --token-file or --credentials", WithoutSecrets(a.URLs))
	}
	if c.Stream, err = jetstream.New(conn); err != nil {
		conn.Close()
		return nil, err
	}
	c.Conn = conn
	return c, nil
}

// WorkerUser is the user of machines that join a campaign of an embedded server.
const WorkerUser = "worker"

// WithoutSecrets returns addresses without the names and passwords in them, for messages.
func WithoutSecrets(urls string) string { return secretPart().ReplaceAllString(urls, "//") }

var secretPart = pattern.Lazy(`//[^/@,]*@`)

// explain says what to do about a connection that failed.
func explain(urls string, err error) error {
	urls = WithoutSecrets(urls)
	switch {
	case errors.Is(err, nats.ErrNoServers), errors.Is(err, nats.ErrTimeout):
		return fmt.Errorf("no NATS server answers at %s (%w): is the coordinator running, and does a firewall let its port through?", urls, err)
	case errors.Is(err, nats.ErrAuthorization):
		return fmt.Errorf("the server at %s refuses the token or the credentials: they belong to another server (%w)", urls, err)
	}
	return fmt.Errorf("%s: %w", urls, err)
}

// readyTime bounds the wait for the first answer of servers. Servers that have just started first elect a leader, and a
// stream that was just created exists before any server answers for it.
const readyTime = time.Minute

// untilAnswered calls f, and again as long as no server answers.
func untilAnswered(ctx context.Context, f func() error) error {
	for begun := time.Now(); ; {
		err := f()
		if err == nil || !isUnanswered(err) || time.Since(begun) > readyTime {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(25 * time.Millisecond):
		}
	}
}

// IsUnanswered reports whether an error means that no server answers, or can answer at the moment; that may change
// soon.
func IsUnanswered(err error) bool {
	var network *net.OpError
	return isUnanswered(err) || errors.Is(err, nats.ErrNoServers) || errors.As(err, &network)
}

// isUnanswered reports whether an error is that no server is there to answer yet, or that none can at the moment.
func isUnanswered(err error) bool {
	var answer *jetstream.APIError
	const unavailable = 503
	const noPeers = 10005 // servers that a stream is to be on are away
	if errors.As(err, &answer) && answer.ErrorCode == noPeers {
		return true
	}
	return errors.Is(err, nats.ErrNoResponders) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, nats.ErrTimeout) || errors.As(err, &answer) && answer.Code == unavailable
}

// Patiently calls f until it succeeds or ctx ends: servers come back. Each try has ten seconds.
func Patiently(ctx context.Context, f func(context.Context) error) error {
	for {
		try, cancel := context.WithTimeout(ctx, 10*time.Second)
		err := f(try)
		cancel()
		if err == nil || ctx.Err() != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(300 * time.Millisecond):
		}
	}
}
