package slots

// Fill returns the bundle with the shipped default in every field that is nil. The defaults are fresh
// instances: policies keep state, so a bundle belongs to one run.
func (p Policies) Fill() Policies {
	if p.Selection == nil {
		p.Selection = SingleHead{}
	}
	if p.TaskSampler == nil {
		p.TaskSampler = RoundRobin{}
	}
	if p.Proposal == nil {
		p.Proposal = AskActor{}
	}
	if p.Staleness == nil {
		p.Staleness = Guarded{}
	}
	if p.Conflict == nil {
		p.Conflict = &DefaultConflict{}
	}
	if p.Fusion == nil {
		p.Fusion = DefaultFusion{}
	}
	if p.Acceptance == nil {
		p.Acceptance = &DefaultAcceptance{}
	}
	if p.Promotion == nil {
		p.Promotion = &DefaultPromotion{}
	}
	return p
}

// Install offers a merge-side policy what a run offers it: the verifier through Bind, the run's numbers
// through Configure. A policy with neither hook is left alone.
func Install(policy any, v Verifier, c MergeConfig) error {
	if q, ok := policy.(Configurer); ok {
		q.Configure(c)
	}
	if q, ok := policy.(Binder); ok {
		return q.Bind(v)
	}
	return nil
}

// Install installs the four merge-side policies of the bundle, in the order conflict, fusion, acceptance,
// promotion.
func (p Policies) Install(v Verifier, c MergeConfig) error {
	merge := []any{p.Conflict, p.Fusion, p.Acceptance, p.Promotion}
	for i, policy := range merge {
		if policy == nil {
			continue
		}
		if err := Install(policy, v, c); err != nil {
			return &InstallError{Slot: [...]string{"conflict", "fusion", "acceptance", "promotion"}[i], Err: err}
		}
	}
	return nil
}

// InstallError says which field of the bundle could not be installed.
type InstallError struct {
	Slot string
	Err  error
}

func (e *InstallError) Error() string {
	return "installing the " + e.Slot + " policy: " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *InstallError) Unwrap() error { return e.Err }
