package cluster

import "time"

// Presence is the report of a joined machine, sent every PresenceEvery. A machine that sends nothing for Absent is
// considered gone.
type Presence struct {
	Member  string   `json:"member"` // unlike any other's
	Machine string   `json:"machine"`
	Labels  []string `json:"labels,omitempty"`
	Slots   int      `json:"slots"` // jobs that it does for the campaign at the same time
	Refused string   `json:"refused,omitempty"`
	Note    string   `json:"note,omitempty"` // what people should know of it
}

// How often a machine says that it is there, and when it is gone.
const (
	PresenceEvery = time.Second
	Absent        = 5 * time.Second
)
