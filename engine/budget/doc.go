// Package budget decides how a run's budget is spent: [Governor] by how much of it is left, and
// [ValueBudgetAllocator] by what a candidate is worth, as far as the run's own decisions have taught it.
// Both concern optional spend only, the tournaments of fusion and the rollout in which a proposal is
// measured on its own task. Neither raises the budget nor judges a candidate: what is kept is decided by
// the acceptance and the audit.
//
//	c.Budget.MaxCost = 50_000
//	c.Budget.Governor = budget.Governor{}
//	c.Budget.Allocator = &budget.ValueBudgetAllocator{}
//
// The engine asks the governor first and the allocator about what the governor allows, so the allocator can
// save what the governor would spend and never spend what it refuses.
//
// Everything here is a function of its arguments and of what it was told in which order: a resumed run,
// which tells the same, learns the same, on every machine.
package budget
