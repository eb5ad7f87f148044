package main

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
)

// states keeps states as a remote backend does. With a file, the command line would write the whole state after each
// resource, which takes the square of their number: an hour and more for 5,000.
type states struct {
	server  *http.Server
	address string

	mu  sync.Mutex
	all map[string][]byte
}

func newStates(ctx context.Context) (*states, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &states{all: map[string][]byte{}, address: "http://" + listener.Addr().String() + "/"}
	s.server = &http.Server{Handler: s}
	go func() { _ = s.server.Serve(listener) }() // until close
	return s, nil
}

// ServeHTTP is the protocol of the http backend.
func (s *states) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch r.Method {
	case http.MethodGet:
		state, ok := s.all[r.URL.Path]
		if !ok {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		_, _ = w.Write(state)
	case http.MethodPost:
		state, err := io.ReadAll(r.Body)
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		s.all[r.URL.Path] = state
	default:
		w.WriteHeader(http.StatusMethodNotAllowed)
	}
}

func (s *states) close() error {
	if err := s.server.Close(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
