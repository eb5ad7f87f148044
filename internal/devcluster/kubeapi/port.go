package kubeapi

import (
	"errors"
	"math/rand/v2"
	"net"
	"strconv"
)

// Ports are taken from below the range that Linux uses for outgoing connections, so that none of these sits on a port
// while its server restarts.
const firstPort, lastPort = 20000, 32000

// FreePort finds a port of 127.0.0.1 where nobody listens. It is not reserved: who listens there first has it.
func FreePort() (int, error) {
	for range 100 {
		port := firstPort + rand.IntN(lastPort-firstPort)
		listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err != nil {
			continue
		}
		return port, listener.Close()
	}
	return 0, errors.New("no free port found on 127.0.0.1")
}
