// Package cache stores the answers of solvers to queries. It answers an equivalent query, or one whose answer follows
// from stored ones, without a solver.
//
// A query is looked up in these ways, the cheapest first:
//
//   - the same conjuncts as before, in any order;
//   - more conjuncts than a set that is known to be unsatisfiable, such as an unsat core;
//   - conjuncts that a model of an earlier query makes true, by the evaluator; fewer conjuncts than a satisfiable set are a case of
//     this;
//   - the normal form of the query's slices (package normal): the same query under other names, in another order, of another session or
//     process.
//
// The first three know the terms of one arena, and belong to a Client. The last one is shared by all clients of a
// Cache, and by processes through a database in the user's cache folder.
//
// Which answers are trusted, and why:
//
//   - sat, only with a model that the evaluator finds to make all conjuncts of the asked query true. A kept model is translated to the
//     names of the asked query and evaluated there, so a mistake in keeping, translating or storing loses an answer and never makes a
//     wrong one. A satisfiable query whose model the evaluator cannot decide (quantifiers, for the most part) is not kept.
//   - unsat, only for a query that is the one that was answered, or has all of its conjuncts. Within a client conjuncts are the same if
//     they are the same terms. For normal forms the key of 128 bits finds the entry and the text of the form decides: the text says the
//     whole query up to names, and equal texts are equal queries, whatever was hashed on the way. A slice is a subset of the query, so
//     an unsatisfiable slice makes it unsatisfiable. That slices are satisfiable says nothing by itself: only the model that their
//     models make together does, when it was evaluated.
//   - unknown, never.
//
// The logic and the options of a question are part of every text, so an unsat under one logic is never found under
// another. An answer is only as reliable as the solver that gave it: if solvers differ in reliability, include their
// names in the options.
package cache
