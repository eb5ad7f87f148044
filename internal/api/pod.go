package api

// ResourceList maps a resource name, such as cpu or nvidia.com/gpu, to an amount.
type ResourceList map[string]Quantity

// Resources is the resource section of a container.
type Resources struct {
	// Upper bounds, enforced on the node.
	Limits ResourceList `json:"limits,omitempty"`
	// What the scheduler sets aside.
	Requests ResourceList `json:"requests,omitempty"`
}

// LabelSelector selects objects by their labels. Nil selects none, empty selects all.
// +structType=atomic
type LabelSelector struct {
	// Labels that must have exactly these values.
	MatchLabels map[string]string `json:"matchLabels,omitempty"`
}

// TopologySpreadConstraint spreads pods over the values of a node label.
type TopologySpreadConstraint struct {
	// Which pods are counted.
	LabelSelector *LabelSelector `json:"labelSelector,omitempty"`
	// Largest allowed difference in pods between two values of the label.
	MaxSkew int32 `json:"maxSkew"`
	// Fewest values of the label that must be there before the skew counts.
	MinDomains *int32 `json:"minDomains,omitempty"`
	// The node label.
	TopologyKey string `json:"topologyKey"`
	// DoNotSchedule or ScheduleAnyway.
	WhenUnsatisfiable string `json:"whenUnsatisfiable"`
}
