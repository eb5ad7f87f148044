package site

import (
	"bytes"
	"crypto/x509"
	"encoding/binary"
	"encoding/pem"
	"strings"
)

const encrypted = "it is protected by a passphrase, and k0smotron has no way to take one."

// wrongKey says what is wrong with a private key, in a sentence that shows nothing of it, or nothing.
func wrongKey(text string) string {
	trimmed := strings.TrimSpace(text)
	switch {
	case trimmed == "":
		return "it is empty."
	case strings.HasPrefix(trimmed, "PuTTY-User-Key-File"):
		return "it is a PuTTY key. Export it in OpenSSH form."
	case strings.HasPrefix(trimmed, "ssh-"), strings.HasPrefix(trimmed, "ecdsa-"), strings.HasPrefix(trimmed, "sk-"):
		return "it is a public key."
	}
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		if strings.Contains(text, "-----BEGIN ") {
			return "it begins like a PEM block and does not go on like one. Lines may be indented, cut off or joined."
		}
		return "it holds no PEM block. If it is the name of a file, use file()."
	}
	if strings.Contains(block.Headers["Proc-Type"], "ENCRYPTED") {
		return encrypted
	}
	const broken = "it looks like one, but what is inside cannot be read."
	var err error
	switch block.Type {
	case "OPENSSH PRIVATE KEY":
		return wrongOpenSSH(block.Bytes)
	case "RSA PRIVATE KEY":
		_, err = x509.ParsePKCS1PrivateKey(block.Bytes)
	case "EC PRIVATE KEY":
		_, err = x509.ParseECPrivateKey(block.Bytes)
	case "PRIVATE KEY":
		_, err = x509.ParsePKCS8PrivateKey(block.Bytes)
	case "DSA PRIVATE KEY":
		return "it is a DSA key, which today's SSH servers refuse."
	case "ENCRYPTED PRIVATE KEY":
		return encrypted
	default:
		if strings.HasSuffix(block.Type, "PRIVATE KEY") {
			return "it is of a form that SSH does not know."
		}
		return "its PEM block is something else, such as a public key or a certificate."
	}
	if err != nil {
		return broken
	}
	return ""
}

// wrongOpenSSH reads as much of OpenSSH's own form (PROTOCOL.key in its sources) as tells whether it is whole and open.
func wrongOpenSSH(raw []byte) string {
	const cut = "it is in OpenSSH form, but cut off or damaged."
	rest, ok := bytes.CutPrefix(raw, []byte("openssh-key-v1\x00"))
	if !ok {
		return cut
	}
	next := func() []byte {
		if len(rest) < 4 || uint64(binary.BigEndian.Uint32(rest)) > uint64(len(rest)-4) {
			ok = false
			return nil
		}
		n := binary.BigEndian.Uint32(rest)
		field := rest[4 : 4+n]
		rest = rest[4+n:]
		return field
	}
	cipher, kdf, _ := next(), next(), next()
	if !ok {
		return cut
	}
	if string(cipher) != "none" || string(kdf) != "none" {
		return encrypted
	}
	if len(rest) < 4 || binary.BigEndian.Uint32(rest) != 1 {
		return cut
	}
	rest = rest[4:]
	public, private := next(), next()
	// The private part begins with a number, twice, by which a right passphrase is told from a wrong one.
	if !ok || len(public) == 0 || len(private) < 8 || !bytes.Equal(private[:4], private[4:8]) {
		return cut
	}
	return ""
}
