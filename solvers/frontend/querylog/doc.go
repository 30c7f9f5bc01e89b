// Package querylog keeps what clients asked a front end: every command and every answer, with its time, in a file
// that is only ever appended to. A line is written at once, and a command before it is performed, so the log of a
// process that was killed has the question it died of. Several processes may write to one file.
package querylog
