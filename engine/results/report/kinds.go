package report

import "github.com/smtlark/smtlark/engine/judge/oracle"

// kindInfo explains a kind of findings to people who do not know smtlark.
type kindInfo struct {
	id, name, text string
}

// kinds are those of the built-in oracles. Campaign files may have others.
var kinds = []kindInfo{
	{oracle.KindCrash, "Crash", "A solver ended by a signal, or a check of its own failed."},
	{oracle.KindKnownAnswer, "WrongAnswer", "A solver gave another answer than the one that is known to be right."},
	{oracle.KindAssumedAnswer, "WrongAnswerIfAssumed", "A solver gave another answer than the one that is assumed to be right, by the word of a seed's status, of a folder's name or of a campaign file."},
	{oracle.KindDisagreement, "Disagreement", "Solvers gave contradicting answers: at least one of them is wrong."},
	{oracle.KindInvalidModel, "InvalidModel", "A solver answered sat, and its model does not satisfy the assertions."},
	{oracle.KindInvalidValue, "InvalidValue", "The values that a solver gives contradict its model."},
	{oracle.KindInvalidReply, "InvalidReply", "A reply of a solver, such as an interpolant or an optimum, does not have the property that it must have."},
	{oracle.KindInvalidCore, "InvalidCore", "A solver calls satisfiable what it gave as an unsatisfiable core."},
	{oracle.KindMetamorphic, "Metamorphic", "The answers of a solver to an input and to what was made of it contradict each other."},
	{oracle.KindRunaway, "Runaway", "A solver ran out of time or memory with a check that needs next to none."},
}

// kind returns the known facts about a kind.
func kind(id string) kindInfo {
	for _, k := range kinds {
		if k.id == id {
			return k
		}
	}
	return kindInfo{id, id, "An oracle of the campaign file says that something is wrong."}
}
