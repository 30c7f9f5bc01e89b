package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
)

// Machines read streams message by message. To make a consumer they would need the permission to make any consumer,
// even one that delivers to the subjects of others, and any number of them.

// directSubject is the subject of requests for one message of a stream.
func directSubject(stream string) string { return "$JS.API.DIRECT.GET." + stream }

// lastSubject is the subject of requests for the last message of a stream that has a subject.
func lastSubject(stream, subject string) string { return directSubject(stream) + "." + subject }

// readDirectly asks a stream for one message (NATS ADR-31, "JetStream Direct Get"). It returns nil where there is none.
func readDirectly(ctx context.Context, conn *nats.Conn, subject string, request []byte) (*nats.Msg, error) {
	reply, err := conn.RequestWithContext(ctx, subject, request)
	if err != nil {
		return nil, err
	}
	switch status := reply.Header.Get("Status"); status {
	case "":
		return reply, nil
	case "404":
		return nil, nil
	default:
		return nil, fmt.Errorf("%s: %s %s", subject, status, reply.Header.Get("Description"))
	}
}

// readNext returns the first message of a stream that has the subject and at least that sequence number, and its
// sequence number; nil where there is none.
func readNext(ctx context.Context, conn *nats.Conn, stream, subject string, from uint64) (*nats.Msg, uint64, error) {
	request, err := json.Marshal(map[string]any{"seq": from, "next_by_subj": subject})
	if err != nil {
		return nil, 0, err
	}
	m, err := readDirectly(ctx, conn, directSubject(stream), request)
	if m == nil || err != nil {
		return nil, 0, err
	}
	number, err := strconv.ParseUint(m.Header.Get("Nats-Sequence"), 10, 64)
	if err != nil || number < from {
		return nil, 0, fmt.Errorf("%s answered with the sequence number %q", stream, m.Header.Get("Nats-Sequence"))
	}
	return m, number, nil
}

const (
	hearEvery = time.Second           // a word that nobody was woken for is heard that late
	hearAgain = 20 * time.Millisecond // servers pass a word on before they have stored it
	maxAgain  = 10
	readTime  = 10 * time.Second // that one request may take
)

// Hear calls take with each message that the coordinator of a campaign sends to all workers, from its first message on,
// until ctx ends.
func (c *Connection) Hear(ctx context.Context, e *Listing, take func(nats.Header, []byte)) {
	subject := e.Campaign.StateSubject(e.Run)
	wake := make(chan *nats.Msg, 1)
	if woken, err := c.Conn.ChanSubscribe(subject, wake); err == nil { // else it hears everything late
		defer func() { _ = woken.Unsubscribe() }()
	}
	for next, again := uint64(1), 0; ; {
		one, cancel := context.WithTimeout(ctx, readTime)
		m, sequence, err := readNext(one, c.Conn, e.Campaign.StateStream(), subject, next)
		cancel()
		if err == nil && m != nil {
			take(m.Header, m.Data)
			next, again = sequence+1, 0
			continue
		}
		pause := hearEvery
		if again > 0 {
			again--
			pause = hearAgain
		}
		select {
		case <-ctx.Done():
			return
		case <-wake:
			again = maxAgain
		case <-time.After(pause):
		}
	}
}
