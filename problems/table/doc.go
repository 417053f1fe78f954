// Package table evolves priorities on logged decisions, for people who have data and no simulator. A CSV file
// has a row for each alternative of each decision: the decision it belongs to, what was known about it, and its payoff.
//
//	decision,price,stock,payoff
//	monday,9.5,12,30
//	monday,7,0,0
//	tuesday,8,3,24
//
// A rule rates the rows of a decision by their inputs and chooses the highest, the first among equals; a priority that
// is not finite loses to every finite one. The reward is the payoff of the chosen row over the best of its decision ([Scale]).
// Every alternative must have its payoff in the file, also those nobody chose: a log that knows only the payoff of what
// was done cannot tell what another rule would have earned.
//
// The inputs are the other columns. Their signature is made from the data ([Read]), or given, and then columns are
// found by the names of its inputs.
//
// A [Table] is immutable once read and safe for concurrent use; everything is a function of the data alone.
package table
