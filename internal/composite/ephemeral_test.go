package composite

import (
	"testing"
	"time"
)

func TestALeaseRemindsOfItsEnd(t *testing.T) {
	now := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	for name, test := range map[string]struct {
		left, before time.Duration // before is 0 where there is no reminder
	}{
		"an hour: a tenth before":             {time.Hour, 6 * time.Minute},
		"ten minutes: a minute before":        {10 * time.Minute, time.Minute},
		"less than that: still a minute":      {5 * time.Minute, time.Minute},
		"it is over already: nothing to say":  {-time.Minute, 0},
		"it ends this moment: nothing to say": {0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			until := now.Add(test.left)
			got, want := Lease{Until: until}.remindAt(now), time.Time{}
			if test.before > 0 {
				want = until.Add(-test.before)
			}
			if !got.Equal(want) {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
	if got := (Lease{}).remindAt(now); !got.IsZero() {
		t.Errorf("a lease without end reminds at %s", got)
	}
}
