package cluster

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Campaign is the name of a campaign in a cluster: campaigns with one name have the same files and flags.
type Campaign string

// idDigits is the number of hexadecimal digits in a name.
const idDigits = 16

// NameOf makes the name of a campaign from everything that the campaign depends on.
func NameOf(parts ...string) Campaign {
	hash := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(hash, "%d:%s\n", len(p), p)
	}
	return Campaign(hex.EncodeToString(hash.Sum(nil))[:idDigits])
}

// Subjects of a campaign. Jobs and results have the run of the coordinator and the number of the job as their last
// parts, which are its key; messages of machines about themselves end with the machine's name. Streams accept only the
// subjects of one run, so that no messages come in from a coordinator that was replaced without knowing it, or from
// machines that work for it.
func (c Campaign) subject(kind, last string) string {
	return "smtlark." + string(c) + "." + kind + "." + last
}

// KeyOf is the key of a job of a run.
func KeyOf(run string, job uint64) string { return run + "." + strconv.FormatUint(job, 10) }

// AnyKey matches the keys of all jobs, AnyOf those of a run.
const AnyKey = "*.*"

// AnyOf matches the keys of the jobs of a run.
func AnyOf(run string) string { return run + ".*" }

// JobSubject returns the subject on which a job is published.
func (c Campaign) JobSubject(key string) string { return c.subject("job", key) }

// ResultSubject returns the subject on which the result of a job is published.
func (c Campaign) ResultSubject(key string) string { return c.subject("result", key) }

// StateSubject returns the subject on which the coordinator of a run writes to all workers.
func (c Campaign) StateSubject(run string) string { return c.subject("state", run) }

// PresenceSubject returns the subject on which a joined machine reports its presence.
func (c Campaign) PresenceSubject(member string) string { return c.subject("presence", member) }

// BeganSubject returns the subject on which a machine reports that it has begun a job.
func (c Campaign) BeganSubject(key string) string { return c.subject("began", key) }

// HelpSubject returns the subject of messages to the workers of a joined machine that help with reductions, or are
// helped; EveryMember stands for all.
func (c Campaign) HelpSubject(member string) string { return c.subject("help", member) }

// EveryMember is the name under which all joined machines are written to.
const EveryMember = "all"

func (c Campaign) stream(kind string) string { return "smtlark-" + string(c) + "-" + kind }

// JobStream is the work queue of a campaign, ResultStream the result of its jobs, StateStream what all workers are to
// know.
func (c Campaign) JobStream() string { return c.stream("jobs") }

// ResultStream is the stream of results.
func (c Campaign) ResultStream() string { return c.stream("results") }

// StateStream is the stream of what all workers are to know.
func (c Campaign) StateStream() string { return c.stream("state") }

func (c Campaign) fileBucket() string { return "smtlark-" + string(c) }

// fileStream is the stream that servers keep the object store in.
func (c Campaign) fileStream() string { return "OBJ_" + c.fileBucket() }

const (
	// Workers is the consumer by which machines take jobs.
	Workers = "workers"
	// campaignBucket has a Listing for each campaign.
	campaignBucket = "smtlark-campaigns"
)

// Coordinator is the consumer by which the results of a run are taken.
func Coordinator(run string) string { return "coordinator-" + run }

// JobLease is the time for which a machine keeps a job without reporting; after that another machine gets the job.
const JobLease = 10 * time.Second

// MaxGiven bounds how many machines are given a job one after the other.
const MaxGiven = 5

// MaxMessage bounds each part of a message, in bytes: by default, servers accept a megabyte.
const MaxMessage = 512 << 10

// Headers of messages.
const (
	HeaderJob     = "Smtlark-Job"     // the key of a job
	HeaderSilence = "Smtlark-Silence" // how long the process that does it may be silent, in nanoseconds
	HeaderParts   = "Smtlark-Parts"   // how many parts a message has
	HeaderPart    = "Smtlark-Part"    // which of them this is, from 0
	HeaderAttempt = "Smtlark-Attempt" // which machine and process did a job, and when
	HeaderSpender = "Smtlark-Spender" // the process whose account is in a result
	HeaderDied    = "Smtlark-Died"    // how that process died
	HeaderNumber  = "Smtlark-Number"  // the case that it ran then plus 1
	HeaderFile    = "Smtlark-File"    // the hash of the file that has the order, which is too long for a message
	HeaderControl = "Smtlark-Control" // the control to apply to a running job
	HeaderFrom    = "Smtlark-From"    // the member and the worker that write of a reduction
	HeaderTo      = "Smtlark-To"      // the worker that they write to
	HeaderAbout   = "Smtlark-About"   // the kind of message that they write
	HeaderCase    = "Smtlark-Case"    // the number of the case that it is about
	HeaderTask    = "Smtlark-Task"    // the reduction that it is about
)

// Controls of running jobs.
const (
	ControlStop = "stop" // end it after the case that runs
	ControlCut  = "cut"  // end it now
	ControlDrop = "drop" // end it now; nobody waits for its result
)

// Bounds of streams in bytes.
const (
	maxJobBytes    = 256 << 20
	maxResultBytes = 1 << 30
	maxStateBytes  = 64 << 20
	maxFileBytes   = 2 << 30
)

// Bounds of the streams of an embedded server, which keeps them in memory: they end with the coordinator.
const (
	maxJobMemory    = 64 << 20
	maxResultMemory = 160 << 20
)

// OpenStreams makes the streams of a run of a campaign, empty, with so many replicas; embedded: on a server that ends
// with the coordinator.
func OpenStreams(ctx context.Context, js jetstream.JetStream, c Campaign, run string, replicas int, embedded bool) error {
	return untilAnswered(ctx, func() error { return openStreams(ctx, js, c, run, replicas, embedded) })
}

func openStreams(ctx context.Context, js jetstream.JetStream, c Campaign, run string, replicas int, embedded bool) error {
	for _, s := range []jetstream.StreamConfig{
		{Name: c.JobStream(), Subjects: []string{c.JobSubject(AnyOf(run))}, Retention: jetstream.WorkQueuePolicy, MaxBytes: maxJobBytes},
		{Name: c.ResultStream(), Subjects: []string{c.ResultSubject(AnyOf(run))}, Retention: jetstream.WorkQueuePolicy, MaxBytes: maxResultBytes},
		{Name: c.StateStream(), Subjects: []string{c.StateSubject(run)}, MaxBytes: maxStateBytes},
	} {
		s.Replicas, s.Discard, s.AllowDirect = replicas, jetstream.DiscardNew, true
		if embedded && s.Retention == jetstream.WorkQueuePolicy {
			s.Storage, s.MaxBytes = jetstream.MemoryStorage, min(s.MaxBytes, maxResultMemory)
			if s.Name == c.JobStream() {
				s.MaxBytes = maxJobMemory
			}
		}
		if err := openStream(ctx, js, s); err != nil {
			return fmt.Errorf("stream %s: %w", s.Name, err)
		}
	}
	for _, w := range []struct {
		stream string
		config jetstream.ConsumerConfig
	}{
		{c.JobStream(), jetstream.ConsumerConfig{Durable: Workers, AckPolicy: jetstream.AckExplicitPolicy, AckWait: JobLease, MaxAckPending: -1}},
		{c.ResultStream(), jetstream.ConsumerConfig{Durable: Coordinator(run), AckPolicy: jetstream.AckExplicitPolicy, MaxAckPending: -1}},
	} {
		if _, err := js.CreateConsumer(ctx, w.stream, w.config); err != nil {
			return fmt.Errorf("consumer %s of %s: %w", w.config.Durable, w.stream, err)
		}
	}
	return nil
}

// openStream makes a stream, or takes over and empties the one that an earlier coordinator left: the coordinator's
// store records which cases are still to be made. A new stream needs all its servers, an existing one a majority.
func openStream(ctx context.Context, js jetstream.JetStream, config jetstream.StreamConfig) error {
	stream, err := js.UpdateStream(ctx, config)
	switch {
	case errors.Is(err, jetstream.ErrStreamNotFound):
		_, err = js.CreateStream(ctx, config)
		return err
	case err != nil && isUnanswered(err):
		return err
	case err != nil: // what cannot be changed is different
		if err := js.DeleteStream(ctx, config.Name); err != nil {
			return err
		}
		_, err = js.CreateStream(ctx, config)
		return err
	}
	consumers := stream.ConsumerNames(ctx)
	for name := range consumers.Name() {
		if err := stream.DeleteConsumer(ctx, name); err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) {
			return err
		}
	}
	if err := consumers.Err(); err != nil {
		return err
	}
	return stream.Purge(ctx)
}

// DropStreams removes the streams and files of a campaign from a cluster, but not its entry.
func DropStreams(ctx context.Context, js jetstream.JetStream, c Campaign) error {
	var all []error
	for _, name := range []string{c.JobStream(), c.ResultStream(), c.StateStream()} {
		if err := js.DeleteStream(ctx, name); !errors.Is(err, jetstream.ErrStreamNotFound) {
			all = append(all, err)
		}
	}
	if err := js.DeleteObjectStore(ctx, c.fileBucket()); !errors.Is(err, jetstream.ErrStreamNotFound) && !errors.Is(err, jetstream.ErrBucketNotFound) {
		all = append(all, err)
	}
	return errors.Join(all...)
}

// WorkerMayPublish lists the subjects on which a machine that joins one campaign may publish: it can take jobs, report
// their results, and read the campaign's files and what all workers are to know. It can change none of that, and see
// nothing of other campaigns.
func WorkerMayPublish(c Campaign) []string {
	return []string{
		c.ResultSubject(AnyKey), c.PresenceSubject("*"), c.BeganSubject(AnyKey), c.HelpSubject("*"),
		"$JS.ACK." + c.JobStream() + "." + Workers + ".>",
		"$JS.API.CONSUMER.INFO." + c.JobStream() + "." + Workers,
		"$JS.API.CONSUMER.MSG.NEXT." + c.JobStream() + "." + Workers,
		entrySubject(c),
		directSubject(c.StateStream()), directSubject(c.fileStream()), lastSubject(c.fileStream(), ">"),
	}
}

// WorkerMaySubscribe lists the subjects that such a machine may subscribe to: answers to its own requests, messages
// between workers, and messages of their coordinator.
func WorkerMaySubscribe(c Campaign) []string {
	return []string{inboxOf(c) + ".>", c.HelpSubject("*"), c.StateSubject("*")}
}

// inboxOf returns the subject of answers to machines that join a campaign.
func inboxOf(c Campaign) string {
	if c == "" {
		return "_INBOX"
	}
	return "_INBOX_" + string(c)
}
