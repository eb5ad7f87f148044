package schematest

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

// Definitions finds CustomResourceDefinitions in a folder and below. Files are parsed when they are asked for: some
// of the originals are larger than a megabyte.
type Definitions struct {
	folder string
	files  []file

	mu     sync.Mutex
	parsed map[string]*apiextensions.CustomResourceDefinition
}

type file struct {
	path string
	text []byte
}

var opened sync.Map // folder -> *Definitions

// Open reads the YAML files of a folder. It does so once per folder and process.
func Open(folder string) (*Definitions, error) {
	if known, ok := opened.Load(folder); ok {
		return known.(*Definitions), nil //nolint:forcetypeassert // Only Definitions are stored.
	}
	d := &Definitions{folder: folder, parsed: map[string]*apiextensions.CustomResourceDefinition{}}
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".yaml") {
			return err
		}
		text, err := os.ReadFile(path)
		d.files = append(d.files, file{path, text})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("reading definitions: %w", err)
	}
	known, _ := opened.LoadOrStore(folder, d)
	return known.(*Definitions), nil //nolint:forcetypeassert // Only Definitions are stored.
}

// Find returns the definition of a kind that has the version. Of several (a folder may hold more than one release),
// the one in the last file by name counts. It is nil where there is none.
func (d *Definitions) Find(group, version, kind string) (*apiextensions.CustomResourceDefinition, *apiextensions.CustomResourceDefinitionVersion, error) {
	for i := len(d.files) - 1; i >= 0; i-- {
		f := d.files[i]
		if !bytes.Contains(f.text, []byte("group: "+group)) || !bytes.Contains(f.text, []byte("kind: "+kind)) {
			continue
		}
		definition, err := d.parse(f)
		if err != nil {
			return nil, nil, err
		}
		if definition.Spec.Group != group || definition.Spec.Names.Kind != kind {
			continue
		}
		for j := range definition.Spec.Versions {
			if definition.Spec.Versions[j].Name == version {
				return definition, &definition.Spec.Versions[j], nil
			}
		}
	}
	return nil, nil, nil
}

// All returns every definition of the folder.
func (d *Definitions) All() ([]*apiextensions.CustomResourceDefinition, error) {
	var all []*apiextensions.CustomResourceDefinition
	for _, f := range d.files {
		definition, err := d.parse(f)
		if err != nil {
			return nil, err
		}
		if definition.Kind == "CustomResourceDefinition" {
			all = append(all, definition)
		}
	}
	return all, nil
}

func (d *Definitions) parse(f file) (*apiextensions.CustomResourceDefinition, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if known, ok := d.parsed[f.path]; ok {
		return known, nil
	}
	definition := &apiextensions.CustomResourceDefinition{}
	if err := yaml.Unmarshal(f.text, definition); err != nil {
		return nil, fmt.Errorf("%s: %w", f.path, err)
	}
	d.parsed[f.path] = definition
	return definition, nil
}
