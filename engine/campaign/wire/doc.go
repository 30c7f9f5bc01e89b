// Package wire is the worker protocol. Coordinator and worker exchange messages, orders one way and reports the other. Each kind of
// message has a struct of its own, which says what answers an order; Marshal writes it as one JSON object, which ParseOrder or
// ParseReport reads. Here one comes a line, over pipes; any transport that delivers messages whole and in order can carry them.
//
// case n is written before anything of case n happens, in the same write as the result of the case before it. So a
// death of the worker names its case, and a result that was written is never lost.
package wire
