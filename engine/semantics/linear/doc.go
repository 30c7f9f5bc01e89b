// Package linear decides conjunctions of linear comparisons of integers and reals, where the rationals suffice for
// that, and has the simplex algorithm on exact numbers.
package linear
