package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	utilnet "k8s.io/apimachinery/pkg/util/net"
)

// A record is what the management cluster held at one moment, and the hosted clusters that were there later.
type record struct {
	Objects []string          `json:"objects"`
	Hosted  map[string][]byte `json:"hosted,omitempty"` // namespace/name -> kubeconfig
}

func writeRecord(ctx context.Context, management cluster, file string) error {
	objects, err := management.objects(ctx)
	if err != nil {
		return err
	}
	var r record
	for _, o := range objects {
		r.Objects = append(r.Objects, o.key())
	}
	return r.save(file)
}

func addHostedTo(ctx context.Context, management cluster, file string) error {
	r, err := load(file)
	if err != nil {
		return err
	}
	objects, err := management.objects(ctx)
	if err != nil {
		return err
	}
	r.Hosted = map[string][]byte{}
	for _, o := range objects {
		for _, hosted := range hostedIn([]object{o}) {
			r.Hosted[hosted.name] = secretValue(o, "value")
		}
	}
	return r.save(file)
}

// patience is how long garbage collection may take to catch up.
const patience = 30 * time.Second

// left prints what was not there when the record was written. What an owner that is gone left to the garbage
// collector is given time to go, too.
func left(ctx context.Context, out io.Writer, management cluster, file string) error {
	r, err := load(file)
	if err != nil {
		return err
	}
	found, err := r.added(ctx, management)
	for start := time.Now(); err == nil && len(found) > 0 && time.Since(start) < patience; found, err = r.added(ctx, management) {
		time.Sleep(time.Second)
	}
	if err != nil {
		return err
	}
	for _, o := range found {
		fmt.Fprintf(out, "  %s  %s  %s\n", o.kind(), o.path(), o.state())
	}
	if len(found) > 0 {
		return fmt.Errorf("%w: %d in the management cluster", errLeft, len(found))
	}
	fmt.Fprintln(out, "management cluster: nothing; it holds what it held before the demo")
	return r.leftInside(ctx, out)
}

// added lists what the management cluster holds now and the record does not.
func (r record) added(ctx context.Context, management cluster) ([]object, error) {
	before := map[string]bool{}
	for _, key := range r.Objects {
		before[key] = true
	}
	objects, err := management.objects(ctx)
	if err != nil {
		return nil, err
	}
	var found []object
	for _, o := range objects {
		if !before[o.key()] && !everywhere(o) {
			found = append(found, o)
		}
	}
	return found, nil
}

// leftInside looks into the hosted clusters of the record, as far as they still answer.
func (r record) leftInside(ctx context.Context, out io.Writer) error {
	for name, kubeconfig := range r.Hosted {
		hosted, err := hostedCluster(name, kubeconfig)
		if err != nil {
			return err
		}
		hosted.name = name
		objects, err := hosted.objects(ctx)
		if utilnet.IsConnectionRefused(err) {
			fmt.Fprintf(out, "%s: gone, nothing answers at %s\n", name, hosted.config.Host)
			continue
		}
		if err != nil {
			return err
		}
		for _, o := range objects {
			if o.owned() {
				return fmt.Errorf("%w: %s %s in the %s", errLeft, o.kind(), o.path(), name)
			}
		}
		fmt.Fprintf(out, "%s: still answers, and holds nothing of the provider\n", name)
	}
	return nil
}

func (r record) save(file string) error {
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return os.WriteFile(file, data, 0o600)
}

func load(file string) (record, error) {
	var r record
	data, err := os.ReadFile(file)
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(data, &r); err != nil {
		return r, fmt.Errorf("read %s: %w", file, err)
	}
	return r, nil
}
