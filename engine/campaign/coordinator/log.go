package coordinator

import "github.com/smtlark/smtlark/engine/campaign/metrics"

// Log keeps the history of a campaign. An error means that the disk is full or not writable.
type Log interface {
	// Event adds an event with its fields.
	Event(name string, fields map[string]any) error
	// Stats replaces the statistics.
	Stats(s *metrics.Stats) error
}

// NoLog is a Log that keeps nothing.
type NoLog struct{}

// Event does nothing.
func (NoLog) Event(string, map[string]any) error { return nil }

// Stats does nothing.
func (NoLog) Stats(*metrics.Stats) error { return nil }
