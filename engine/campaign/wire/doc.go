// Package wire is the worker protocol. Coordinator and worker exchange messages, orders one way and reports the other.
// Each kind of message has a struct of its own, which says what answers an order; Marshal writes it as one JSON object,
// which ParseOrder or ParseReport reads. Here one comes a line, over pipes; any transport that delivers messages whole
// and in order can carry them.
//
// The announcement of case n is written in the same write as the result of the case before it. Where worker and
// coordinator share memory, the number of the case that runs is there before anything of it happens, and lines of
// several cases wait for one write; else each case is announced by a write of its own. Either way a death of the worker
// names its case, a result that was written is never lost, and cases whose results were not written are made again.
package wire
