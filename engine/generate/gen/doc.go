// Package gen makes random sorts and terms, well-sorted and within what targets take: the solver manager of API
// fuzzing, and the terms of every technique that needs new ones over a script.
//
// The main types:
//
//   - Gen makes terms. NewTerm applies an operator to terms that are there, as walks of API fuzzing do; Build makes a
//     term of a sort from its root down, as techniques over seeds do. It carries an assignment in which each Bool term
//     has a known value.
//   - Config says what to make: theories, operators with their weights, widths and depths. Exclusions are what the
//     targets do not take.
//   - DB has the sorts and terms that are there, by sort and by open variables; rarely used ones are picked first.
//   - Sink is told each declaration, sort and term as it is made.
//   - Alternative is an operator in one of its signatures, and Instance the sorts and indices of one application: Results
//     lists the alternatives of a sort, Bind draws an instance, Make applies it. Who wants to choose arguments itself
//     uses these, as package probe does; a Chooser decides what the signature leaves open.
//
// Read config.go and gen.go first. Each layer uses those before it: support.go (what targets take), operators.go,
// vocabulary.go with db.go, sorts.go, literals.go, terms.go. build.go and instance.go lie above them.
//
// There are four other makers of terms in the engine, each for terms that no choice among well-sorted ones gives:
// package mutate puts terms of a script under operators within the scopes of a place (generate.go), and combines
// formulas by their truth (pool.go); package fusion inverts operators from the result to the inputs; package discovery
// enumerates all terms by size.
package gen
