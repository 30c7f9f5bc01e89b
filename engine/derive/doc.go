// Package derive makes cases of cases: with other assertions over the same declarations, with terms replaced, with another logic;
// and says what stays known of their answers.
package derive
