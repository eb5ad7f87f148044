package site

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/binary"
	"encoding/pem"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite/compositetest"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// opensshKey is a key in OpenSSH's own form, as PROTOCOL.key in its sources lays it out.
func opensshKey(cipher, kdf string, keys uint32, private []byte) string {
	raw := []byte("openssh-key-v1\x00")
	field := func(b []byte) { raw = append(binary.BigEndian.AppendUint32(raw, uint32(len(b))), b...) } //nolint:gosec // short
	field([]byte(cipher))
	field([]byte(kdf))
	field(nil)
	raw = binary.BigEndian.AppendUint32(raw, keys)
	field([]byte("public"))
	field(private)
	return string(pem.EncodeToMemory(&pem.Block{Type: "OPENSSH PRIVATE KEY", Bytes: raw}))
}

func pemOf(t *testing.T, form string, marshal func() ([]byte, error)) string {
	t.Helper()
	raw, err := marshal()
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: form, Bytes: raw}))
}

func TestPrivateKeysThatSSHCanUseAreTakenAndAllOthersNamed(t *testing.T) {
	_, ed, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	r, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	ec, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	pkcs8 := pemOf(t, "PRIVATE KEY", func() ([]byte, error) { return x509.MarshalPKCS8PrivateKey(ed) })
	pkcs1 := pemOf(t, "RSA PRIVATE KEY", func() ([]byte, error) { return x509.MarshalPKCS1PrivateKey(r), nil })
	open := opensshKey("none", "none", 1, []byte("samesame and the key"))
	for name, test := range map[string]struct{ key, wrong string }{
		"Ed25519 in PKCS 8":                  {pkcs8, ""},
		"RSA in PKCS 1":                      {pkcs1, ""},
		"an elliptic curve in SEC 1":         {pemOf(t, "EC PRIVATE KEY", func() ([]byte, error) { return x509.MarshalECPrivateKey(ec) }), ""},
		"OpenSSH's own form":                 {open, ""},
		"without a line break at the end":    {strings.TrimSpace(open), ""},
		"with Windows' line breaks":          {strings.ReplaceAll(open, "\n", "\r\n"), ""},
		"nothing":                            {"", "empty"},
		"white space":                        {" \n", "empty"},
		"a passphrase in OpenSSH's own form": {opensshKey("aes256-ctr", "bcrypt", 1, []byte("secret")), "passphrase"},
		"a passphrase in PKCS 8":             {strings.ReplaceAll(pkcs8, "PRIVATE KEY", "ENCRYPTED PRIVATE KEY"), "passphrase"},
		"a passphrase in PKCS 1": {string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: []byte("x"),
			Headers: map[string]string{"Proc-Type": "4,ENCRYPTED", "DEK-Info": "AES-128-CBC,00"}})), "passphrase"},
		"a public key":               {"ssh-ed25519 AAAAC3Nza me@example.net", "public key"},
		"a public key in PEM":        {string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: []byte("x")})), "something else"},
		"a certificate":              {string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: []byte("x")})), "something else"},
		"a PuTTY key":                {"PuTTY-User-Key-File-3: ssh-ed25519\n", "PuTTY"},
		"the name of a file":         {"~/.ssh/id_ed25519", "file()"},
		"indented lines":             {strings.ReplaceAll(open, "\n", "\n   "), "indented"},
		"joined lines":               {strings.ReplaceAll(open, "\n", " "), "joined"},
		"DSA":                        {string(pem.EncodeToMemory(&pem.Block{Type: "DSA PRIVATE KEY", Bytes: []byte("x")})), "DSA"},
		"another form":               {string(pem.EncodeToMemory(&pem.Block{Type: "PGP PRIVATE KEY", Bytes: []byte("x")})), "does not know"},
		"PEM with nonsense in it":    {string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: []byte("x")})), "cannot be read"},
		"OpenSSH with nonsense":      {string(pem.EncodeToMemory(&pem.Block{Type: "OPENSSH PRIVATE KEY", Bytes: []byte("x")})), "damaged"},
		"OpenSSH with two keys":      {opensshKey("none", "none", 2, []byte("samesame")), "damaged"},
		"OpenSSH with a wrong check": {opensshKey("none", "none", 1, []byte("samediff")), "damaged"},
	} {
		t.Run(name, func(t *testing.T) {
			got := wrongKey(test.key)
			if (got == "") != (test.wrong == "") || !strings.Contains(got, test.wrong) {
				t.Errorf("got %q, want it to say %q", got, test.wrong)
			}
		})
	}
	whole, _ := pem.Decode([]byte(open))
	for n := range whole.Bytes {
		if wrongOpenSSH(whole.Bytes[:n]) == "" {
			t.Fatalf("a key cut off after %d of %d bytes was taken", n, len(whole.Bytes))
		}
	}
}

func TestChecks(t *testing.T) {
	usable := opensshKey("none", "none", 1, []byte("samesame and the key"))
	for name, test := range map[string]struct {
		config string
		key    types.String
		at     string // where a finding is wanted, with ! for an error
		says   string
	}{
		"a key alone is fine":                         {`{user: root}`, types.StringValue(usable), "", ""},
		"a Secret alone is fine, whatever is in it":   {`{secret: vault}`, types.StringNull(), "", ""},
		"nothing is refused":                          {`{}`, types.StringNull(), "!ssh", "Set ssh.private_key_wo"},
		"both are refused":                            {`{secret: vault}`, types.StringValue(usable), "!ssh.secret", "Remove one"},
		"a key that is not known may come":            {`{}`, types.StringUnknown(), "", ""},
		"a Secret that is not known may come":         {`{secret: (not known yet)}`, types.StringNull(), "", ""},
		"either of two may turn out to be null":       {`{secret: (not known yet)}`, types.StringValue(usable), "", ""},
		"an unusable key is refused":                  {`{}`, types.StringValue("hunter2"), "!ssh.private_key_wo", "unencrypted"},
		"a user without sudo is warned of":            {`{user: k0s, secret: vault}`, types.StringNull(), "ssh.use_sudo", "use_sudo = true"},
		"a user with sudo is fine":                    {`{user: k0s, use_sudo: true, secret: vault}`, types.StringNull(), "", ""},
		"a user with sudo that may come is fine, too": {`{user: k0s, use_sudo: (not known yet), secret: vault}`, types.StringNull(), "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			m := compositetest.Model(t, Kind, "name: quebec\nnamespace: train\nssh: "+test.config)
			ssh, _ := m.SSH.Get()
			ssh.PrivateKey = test.key
			m.SSH = tf.ObjectOf(ssh)
			var found []composite.Finding
			for _, check := range checks {
				found = append(found, check(m)...)
			}
			if test.at == "" {
				if len(found) > 0 {
					t.Errorf("got %+v", found)
				}
				return
			}
			if len(found) != 1 || found[0].Path.String() != strings.TrimPrefix(test.at, "!") || found[0].Warning == strings.HasPrefix(test.at, "!") || !strings.Contains(found[0].Detail, test.says) {
				t.Errorf("got %+v, want %s: %s", found, test.at, test.says)
			}
			if strings.Contains(found[0].Detail, "hunter2") {
				t.Error("the key is in the message")
			}
		})
	}
	for name, test := range map[string]struct {
		was, now string
		refused  bool
	}{
		"from a key to the Secret that was made of it": {`{private_key_wo: (not known yet)}`, `{secret: quebec-ssh}`, true},
		"from a key to another Secret":                 {`{private_key_wo: (not known yet)}`, `{secret: vault}`, false},
		"a Secret that was always the user's":          {`{secret: quebec-ssh}`, `{secret: quebec-ssh}`, false},
		"from a Secret to a key":                       {`{secret: quebec-ssh}`, `{private_key_wo: (not known yet)}`, false},
		"to what is not known yet":                     {`{private_key_wo: (not known yet)}`, `{secret: (not known yet)}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			model := func(ssh string) Model {
				return compositetest.Model(t, Kind, "name: quebec\nnamespace: train\nssh: "+ssh)
			}
			if found := notItsOwn(model(test.was), model(test.now)); (len(found) == 1) != test.refused {
				t.Errorf("got %+v", found)
			}
		})
	}
	m := compositetest.Model(t, Kind, "name: quebec\nnamespace: train\nssh: (not known yet)")
	for _, check := range checks {
		if found := check(m); len(found) > 0 {
			t.Errorf("of an unknown ssh: %+v", found)
		}
	}
}
