// Command sshkey prints a new private key that opens nothing, in the form that SSH takes. The demo uses it where ssh-keygen may
// not be there.
package main

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"os"
)

func main() {
	if err := write(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "sshkey:", err)
		os.Exit(1)
	}
}

func write(out io.Writer) error {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return err
	}
	raw, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	return pem.Encode(out, &pem.Block{Type: "PRIVATE KEY", Bytes: raw})
}
