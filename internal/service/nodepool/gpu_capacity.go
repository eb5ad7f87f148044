package nodepool

// gpuCapacityPerNode is what one host offers by resource name, with instances and replicas counted. It is nil where that cannot
// be told: something is not known yet, the card is not known here, or the partitioning is a configuration of the user's own.
func gpuCapacityPerNode(g GPU) map[string]int64 {
	c := cardsOf(g)
	if !c.known || c.perNode < 1 || c.perNode > mostDevices {
		return nil
	}
	switch c.mode {
	case modeNone:
		return c.wholeCards()
	case modeTimeSlicing, modeMPS:
		if c.replicas < 1 || c.replicas > mostDevices || c.vendor != vendorNVIDIA {
			return nil
		}
		return map[string]int64{nvidiaGPU: c.perNode * c.replicas}
	case modeMIG:
		return c.migDevices()
	case modeAMDPartition:
		return c.amdDevices()
	}
	return nil
}

func (c cards) wholeCards() map[string]int64 {
	switch c.vendor {
	case vendorNVIDIA:
		return map[string]int64{nvidiaGPU: c.perNode}
	case vendorAMD:
		return map[string]int64{amdGPU: c.perNode}
	}
	return nil
}

func (c cards) migDevices() map[string]int64 {
	instances, ok := migInstances(c)
	switch {
	case !ok || c.vendor != vendorNVIDIA:
		return nil
	case len(instances) == 0:
		return c.wholeCards()
	case c.strategy == strategyMixed:
		out := map[string]int64{}
		for profile, n := range instances {
			out[migResource(profile)] = n * c.perNode
		}
		return out
	case len(instances) > 1:
		return nil // the device plugin offers nothing: single means that all instances are equal
	}
	for _, n := range instances {
		return map[string]int64{nvidiaGPU: n * c.perNode}
	}
	return nil
}

func (c cards) amdDevices() map[string]int64 {
	p, ok := parsePartition(c.profile)
	dies, known, whole := amdDiesOf(c.model)
	if !ok || c.vendor != vendorAMD || whole || (!known && p.compute == "CPX") {
		return nil
	}
	n := p.devices(dies)
	if n == 0 {
		return nil
	}
	if c.strategy == strategyMixed {
		return map[string]int64{amdPrefix + p.String(): n * c.perNode}
	}
	return map[string]int64{amdGPU: n * c.perNode}
}
