package kube

import (
	"context"
	stdjson "encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/json"
)

// watch shows changes from the last seen version on, until the viewer is finished or the stream ends. A stream that ends, or
// breaks, is taken up again where it was; if it cannot be opened, the next step is a list, which knows how to find a cluster
// that has moved.
func (s *stream) watch(ctx context.Context) (bool, error) {
	c, limit := s.cluster, s.cluster.pool.timing.watch
	conn, err := c.connection(ctx)
	if err != nil {
		return false, err
	}
	query := url.Values{}
	maps.Copy(query, s.selector)
	query.Set("watch", "true")
	query.Set("allowWatchBookmarks", "true")
	query.Set("resourceVersion", s.version)
	query.Set("timeoutSeconds", strconv.Itoa(max(1, int(limit.Seconds()))))
	path, err := s.key.Kind.path(s.key.Namespace)
	if err != nil {
		return false, err
	}
	r := request{verb: "WATCH", method: http.MethodGet, path: path, query: query, key: s.key, object: s.object}
	stream, cancel := context.WithTimeout(ctx, limit+30*time.Second) // should the server forget its own limit
	defer cancel()
	resp, err := c.open(stream, conn, r)
	if err != nil {
		s.version = ""
		return false, c.fail(ctx, r, err).err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		s.version = ""
		body, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
		return false, c.refuse(conn, r, resp, body).err
	}
	return s.follow(ctx, stdjson.NewDecoder(resp.Body), r)
}

// follow reads events until one satisfies.
func (s *stream) follow(ctx context.Context, events *stdjson.Decoder, r request) (bool, error) {
	for {
		var event struct {
			Type   string             `json:"type"`
			Object stdjson.RawMessage `json:"object"`
		}
		err := events.Decode(&event)
		switch {
		case errors.Is(err, io.EOF), err != nil && errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
			return false, nil
		case err != nil:
			return false, s.cluster.fail(ctx, r, err).err
		}
		if event.Type == "ERROR" {
			s.version = ""
			return false, s.refused(event.Object)
		}
		var fields map[string]any
		if err := json.Unmarshal(event.Object, &fields); err != nil {
			s.version = ""
			return false, s.cluster.fail(ctx, r, io.ErrUnexpectedEOF).err
		}
		obj := &unstructured.Unstructured{Object: fields}
		if version := obj.GetResourceVersion(); version != "" {
			s.version = version
		}
		switch event.Type {
		case "ADDED", "MODIFIED", "DELETED":
		default: // bookmarks only move the version
			continue
		}
		if finished, err := s.told(s.to.changed(obj, event.Type == "DELETED")); finished || err != nil {
			return finished, err
		}
	}
}

// refused words an error that came inside of a stream. Whatever it is, a list tells how things stand.
func (s *stream) refused(object []byte) error {
	var status metav1.Status
	if err := json.Unmarshal(object, &status); err != nil {
		status.Message = "the watch ended with an error"
	}
	return &Error{Reason: ReasonUnavailable, Cluster: s.cluster.Describe(), Object: s.object, Message: status.Message, code: int(status.Code), transient: true}
}

// escapeSelector escapes what has a meaning in a field selector.
func escapeSelector(value string) string {
	return strings.NewReplacer(`\`, `\\`, `,`, `\,`, `=`, `\=`).Replace(value)
}
