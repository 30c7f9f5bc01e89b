// Package cluster represents a campaign on a NATS cluster with JetStream: its subjects, streams and permissions, the
// tokens that let machines join, and the files sent to them. Queues, acknowledgement, redelivery and replication are
// those of NATS.
package cluster
