// Package linear decides conjunctions of linear comparisons of integers and reals, where rational reasoning suffices,
// and implements the simplex algorithm on exact numbers.
package linear
