// Package cluster is what a campaign is on a NATS cluster with JetStream: its subjects, streams and permissions, the
// tokens that let machines join, and the files that travel. Queues, acknowledgement, redelivery and replication are
// those of NATS.
package cluster
