package devcluster

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"github.com/k0smos/terraform-provider-k0smos/internal/api/crds"
)

const (
	fieldManager = "k0smos-devcluster"
	// upstreamK0smotron is where in a folder of upstream CRDs those are that the stand-in plays.
	upstreamK0smotron = "k0smotron/v2.1.0"
	clusterAPIGroup   = "cluster.x-k8s.io"
)

// contracts tell Cluster API which version of a provider's kind to use.
var contracts = map[string]string{"v1beta1": "v1beta1", "v1beta2": "v1beta2"}

var crdResource = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}

// installProviderCRDs installs what operators other than Cluster API bring: upstream's where a folder was given, else
// ours.
func (c *Cluster) installProviderCRDs(ctx context.Context) error {
	if c.opts.CRDs == "" {
		return InstallCRDs(ctx, c.RESTConfig(), crds.Files)
	}
	folders := []fs.FS{os.DirFS(filepath.Join(c.opts.CRDs, upstreamK0smotron))}
	for _, name := range c.opts.Also {
		folders = append(folders, os.DirFS(filepath.Join(c.opts.CRDs, name)))
	}
	return InstallCRDs(ctx, c.RESTConfig(), folders...)
}

// installClusterAPICRDs installs the CRDs of Cluster API's module, changed by adapt.
func (c *Cluster) installClusterAPICRDs(ctx context.Context, adapt func(*unstructured.Unstructured) error) error {
	definitions, err := readCRDs(os.DirFS(filepath.Join(c.paths.ClusterAPISource, "config", "crd", "bases")))
	if err != nil {
		return err
	}
	if adapt != nil {
		for _, crd := range definitions {
			if err := adapt(crd); err != nil {
				return err
			}
		}
	}
	return install(ctx, c.RESTConfig(), definitions)
}

// InstallCRDs applies all CRDs in the folders to a cluster, with their subfolders, and waits until they are served.
// Those of Cluster API's own group are left out: the manager needs the ones that came with it.
func InstallCRDs(ctx context.Context, config *rest.Config, folders ...fs.FS) error {
	var all []*unstructured.Unstructured
	for _, folder := range folders {
		found, err := readCRDs(folder)
		if err != nil {
			return err
		}
		for _, crd := range found {
			if group := groupOf(crd); group != clusterAPIGroup {
				addContract(crd, group)
				all = append(all, crd)
			}
		}
	}
	return install(ctx, config, all)
}

// addContract marks kinds that Cluster API refers to. Upstream adds these labels when it builds its manifests, so they
// are not in the files.
func addContract(crd *unstructured.Unstructured, group string) {
	if !strings.HasSuffix(group, "."+clusterAPIGroup) {
		return
	}
	labels := crd.GetLabels()
	if labels == nil {
		labels = map[string]string{}
	}
	for _, version := range versionsOf(crd) {
		if contract, ok := contracts[version]; ok {
			labels[clusterAPIGroup+"/"+contract] = version
		}
	}
	crd.SetLabels(labels)
}

// readCRDs reads the CRDs of a folder; files that hold something else are passed over, and so is what controller-gen
// writes for kinds of the core group, which are no CRDs.
func readCRDs(folder fs.FS) ([]*unstructured.Unstructured, error) {
	var found []*unstructured.Unstructured
	err := fs.WalkDir(folder, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path.Ext(name) != ".yaml" {
			return err
		}
		data, err := fs.ReadFile(folder, name)
		if err != nil {
			return err
		}
		documents := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(data)))
		for {
			document, err := documents.Read()
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			crd := &unstructured.Unstructured{}
			if err := yaml.Unmarshal(document, &crd.Object); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			if crd.GetKind() == "CustomResourceDefinition" && groupOf(crd) != "" {
				found = append(found, crd)
			}
		}
	})
	if err == nil && len(found) == 0 {
		err = errors.New("no CustomResourceDefinition found in the folder")
	}
	if err != nil {
		return nil, fmt.Errorf("definitions in %v: %w", folder, err)
	}
	return found, nil
}

// install creates or updates definitions, a few at a time, and waits until the server serves them.
func install(ctx context.Context, config *rest.Config, definitions []*unstructured.Unstructured) error {
	config = rest.CopyConfig(config)
	config.WarningHandler = rest.NoWarnings{} // about definitions that are not ours to correct
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	served, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return err
	}
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(4)
	for _, crd := range definitions {
		group.Go(func() error {
			// Creating takes half the time of applying, which counts with definitions of a megabyte.
			definitions := client.Resource(crdResource)
			_, err := definitions.Create(groupCtx, crd, metav1.CreateOptions{FieldManager: fieldManager})
			if apierrors.IsAlreadyExists(err) {
				_, err = definitions.Apply(groupCtx, crd.GetName(), crd, metav1.ApplyOptions{FieldManager: fieldManager, Force: true})
			}
			if err != nil {
				return fmt.Errorf("install %s: %w", crd.GetName(), err)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for _, crd := range definitions {
		if err := waitServed(ctx, served, crd); err != nil {
			return err
		}
	}
	return nil
}

// waitServed waits until the kind is in what the server says that it serves, in all of its served versions.
func waitServed(ctx context.Context, client *discovery.DiscoveryClient, crd *unstructured.Unstructured) error {
	plural, _, _ := unstructured.NestedString(crd.Object, "spec", "names", "plural")
	for _, version := range versionsOf(crd) {
		groupVersion := groupOf(crd) + "/" + version
		err := poll(ctx, func(ctx context.Context) error {
			list, err := client.ServerResourcesForGroupVersion(groupVersion)
			if err != nil {
				return err
			}
			for _, resource := range list.APIResources {
				if resource.Name == plural {
					return nil
				}
			}
			return errors.New("it is not in the list of kinds")
		})
		if err != nil {
			return fmt.Errorf("%s is not served as %s: %w", crd.GetName(), version, err)
		}
	}
	return nil
}

func groupOf(crd *unstructured.Unstructured) string {
	group, _, _ := unstructured.NestedString(crd.Object, "spec", "group")
	return group
}

// versionsOf lists the versions that a CRD serves.
func versionsOf(crd *unstructured.Unstructured) []string {
	versions, _, _ := unstructured.NestedSlice(crd.Object, "spec", "versions")
	var names []string
	for _, version := range versions {
		fields, ok := version.(map[string]any)
		if !ok || fields["served"] != true {
			continue
		}
		if name, ok := fields["name"].(string); ok {
			names = append(names, name)
		}
	}
	return names
}

// poll repeats check until it says nil, and gives up after a minute or when ctx ends with what it said last.
func poll(ctx context.Context, check func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		err := check(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w (last: %w)", ctx.Err(), err)
		case <-tick.C:
		}
	}
}
