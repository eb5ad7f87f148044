package scheduling

// Cell is what a queue of Kueue has of one resource in one flavor.
type Cell struct {
	Nominal Amount
	Borrow  Amount // most that may be borrowed; unlimited is no limit
}

// plenty stands for unlimited on Kueue, which knows no such quota: a million CPUs, a pebibyte of memory. The sum of many
// such quotas still fits into a number.
func plenty(r Resource) int64 {
	switch r {
	case CPU:
		return 1_000_000_000
	case Memory:
		return 1 << 50
	default:
		return 0
	}
}

// guaranteed is the quota of a share where there must be a number: with a limit, what is unlimited ends there.
func (s Share) guaranteed(r Resource) Amount {
	switch {
	case !s.Quota.Unlimited:
		return s.Quota
	case s.Limit.Known():
		return s.Limit
	default:
		return Amount{Units: plenty(r)}
	}
}

// QueueCell is the share of a project: Kueue's limit is what comes on top of the quota.
func QueueCell(r Resource, s Share) Cell {
	cell := Cell{Nominal: s.guaranteed(r), Borrow: Amount{Unlimited: true}}
	if s.Limit.Known() {
		cell.Borrow = s.Limit.Minus(cell.Nominal)
	}
	return cell
}

// CohortCell is the share of a department whose members have the given sum: the quota of a Cohort adds to theirs.
func CohortCell(r Resource, s Share, members Amount) Cell {
	quota := s.guaranteed(r)
	if s.Quota.Unlimited && !s.Limit.Known() {
		return Cell{Nominal: quota, Borrow: Amount{Unlimited: true}}
	}
	cell := Cell{Nominal: quota.Minus(members), Borrow: Amount{Unlimited: true}}
	if s.Limit.Known() {
		cell.Borrow = s.Limit.Minus(members.Plus(cell.Nominal))
	}
	return cell
}

// ShareOf reads a cell back. base is what the members have, nothing for a queue.
func ShareOf(r Resource, c Cell, members Amount) Share {
	if r != GPU && c.Nominal.Units == plenty(r) {
		return Share{Quota: Amount{Unlimited: true}, Limit: Amount{Unlimited: true}, Weight: 1}
	}
	s := Share{Quota: members.Plus(c.Nominal), Limit: Amount{Unlimited: true}, Weight: 1}
	if !c.Borrow.Unlimited {
		s.Limit = s.Quota.Plus(c.Borrow)
	}
	return s
}
