package system

// Relative is a process that a listing of all processes showed.
type Relative struct{ PID, Parent, Session int }
