// Package dialogue speaks SMT-LIB with a client: it reads commands from a stream one by one and replies as the standard
// says. A front end finds the answers. A wrong command gets an error reply with the place and the reason; it has no
// effect, and the dialogue goes on.
package dialogue
