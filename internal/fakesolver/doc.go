// Package fakesolver is an SMT-LIB solver without a decision procedure and with faults on demand, for tests and
// benchmarks of everything that talks to solvers.
//
// It reads commands from a file given as argument or from its standard input, and answers check-sat with the :status
// of the script, else with --answer (default sat). Everything it does is determined by its arguments and input.
//
//	--answer=sat|unsat|unknown   what to answer without a :status
//	--fault=NAME[@N]             the fault below, at the N-th check-sat of the process (default: at each)
//	--plant=OP:WHAT,...          fail whenever OP is used in an assertion, or is a command beyond SMT-LIB; WHAT is wrong, assert/FILE:LINE: FUNCTION, trace/F<G<H
//	                             (an AddressSanitizer report), glibc/TEXT, segv
//	--pushed                     fail so below a push only, and forget with the pop what was used there
//	--refuse=OPT,...             know no such option, or option with a value (OPT=VALUE)
//	--conflict=OPT+OPT,...       refuse the second one of two options
//	--needs=OPT+OPT,...          refuse an option unless the other one was set before
//	--reply=COMMAND:TEXT         what to print for get-model, get-value, get-unsat-core or get-unsat-assumptions after the answer that it needs,
//	                             or for a command beyond SMT-LIB
//	--quoted                     print echo with quotes
//	--errors=stderr              report errors there and stop, as Bitwuzla does; --errors=stop: on stdout, and stop
//	--silent-model               print nothing for get-model where there is no model
//	--no-reset                   do not know (reset)
//	--once=COMMAND@N:FILE        die by SIGSEGV at the N-th COMMAND of the process, unless FILE is there, which that death makes: of several processes one dies
//	--version=VERSION            print a version, by default 1.2.3
//
// With --front=PROGRAM as the first argument, it is a front of a real solver, which gets the other arguments and
// answers. The front injects the faults listed at frontFault into the replies. --once may follow --front.
//
// Arguments may also stand in the environment variable FAKESOLVER. A script names a fault for its next check-sat by
// (set-info :fault NAME).
package fakesolver

// faultNames lists the names of the faults with their effects.
var faultNames = []struct{ Name, Doc string }{
	{"wrong", "answers the opposite of the :status"},
	{"unknown", "answers unknown"},
	{"two-answers", "answers sat and unsat to one check-sat"},
	{"garbage", "prints text that is no reply"},
	{"partial", "prints its answer without the line end"},
	{"half", "prints half an answer and dies"},
	{"silent", "does not answer the check-sat, but goes on"},
	{"late", "prints the answer after the next echo"},
	{"success", "prints success lines around the answer"},
	{"segv", "dies by SIGSEGV"},
	{"segv-plain", "dies by SIGSEGV unless the process was given an echo before"},
	{"segv-echoed", "dies by SIGSEGV if the process was given an echo before"},
	{"abort", "prints a failed assertion and dies by SIGABRT"},
	{"abort-after", "answers, then dies by SIGABRT"},
	{"fatal", "reports a failed internal check as an error reply"},
	{"exit0", "exits with code 0 without answering"},
	{"exit3", "exits with code 3 without answering"},
	{"exit139", "exits with code 139, as a shell does whose child died by SIGSEGV"},
	{"kill", "dies by SIGKILL"},
	{"hang", "sleeps for ever"},
	{"spin", "uses CPU for ever"},
	{"deaf", "ignores SIGTERM, SIGINT and SIGHUP, and sleeps for ever"},
	{"flood", "writes to stdout for ever"},
	{"flood-stderr", "writes to stderr for ever"},
	{"close", "closes its output and sleeps for ever"},
	{"grandchild", "starts a process that keeps its pipes, and dies"},
	{"escaped", "the same, and that process leaves the process group"},
	{"memory", "takes memory until there is no more, says so and exits"},
	{"memory-segv", "takes memory until there is no more and dies by SIGSEGV"},
	{"unsupported", "replies unsupported"},
	{"parse-error", "replies with a parse error"},
	{"refusal", "replies that the logic is not accepted"},
	{"bare-error", "replies error, says on stderr that an operator is not supported, and exits with code 0"},
	{"marker-wrong", "prints another text at the next echo"},
	{"marker-missing", "prints nothing at the next echo"},
	{"marker-double", "prints the text of the next echo twice"},
	{"marker-early", "answers, and prints the texts of the next three echos at once, as if they were numbered"},
	{"reset-segv", "dies by SIGSEGV at the next reset or pop"},
	{"die-at-start", "exits before it reads anything (as --fault only)"},
	{"segv-at-start", "dies by SIGSEGV before it reads anything (as --fault only)"},
	{"slow-start", "waits 300 ms before it reads (as --fault only)"},
	{"mute", "reads everything and never replies (as --fault only)"},
}
