package site

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
)

// A check says nothing about what is not known yet: it is asked again when it is.
var checks = []composite.Check[Model]{oneKey, usableKey, ownSecret, rootNeeded}

func refuse(at path.Path, summary, detail string) []composite.Finding {
	return []composite.Finding{{Path: at, Summary: summary, Detail: detail}}
}

var atSSH = path.Root("ssh")

// oneKey: a null from the configuration is certain, an unknown value may still turn out to be null.
func oneKey(m Model) []composite.Finding {
	ssh, known := m.SSH.Get()
	switch {
	case !known || ssh.PrivateKey.IsUnknown() || ssh.Secret.IsUnknown():
		return nil
	case ssh.PrivateKey.IsNull() && ssh.Secret.IsNull():
		return refuse(atSSH, "Missing SSH key", "Nothing says with which key hosts are reached. Set ssh.private_key_wo, usually from an ephemeral value, or ssh.secret, the name of a Secret in the same namespace that holds a private key under the key \"value\".")
	case !ssh.PrivateKey.IsNull() && !ssh.Secret.IsNull():
		return refuse(atSSH.AtName("secret"), "Two SSH keys", "ssh.private_key_wo and ssh.secret are both set, and hosts are reached with one key. Remove one of them.")
	}
	return nil
}

// usableKey: k0smotron reports a key that it cannot read only on the first host that it needs one for.
func usableKey(m Model) []composite.Finding {
	ssh, _ := m.SSH.Get()
	if ssh.PrivateKey.IsNull() || ssh.PrivateKey.IsUnknown() {
		return nil
	}
	if wrong := wrongKey(ssh.PrivateKey.ValueString()); wrong != "" {
		return refuse(atSSH.AtName("private_key_wo"), "Unusable SSH key", "ssh.private_key_wo is not a private key that k0smotron can use: "+wrong+
			" Allowed: an unencrypted private key in OpenSSH or PEM form, as ssh-keygen -N \"\" or a tls_private_key makes it.")
	}
	return nil
}

// ownSecret: the Secret of this name is the resource's own, which it would remove when the key moves elsewhere.
func ownSecret(m Model) []composite.Finding {
	ssh, _ := m.SSH.Get()
	if own := secretName(m.Name.ValueString()); !m.Name.IsUnknown() && ssh.Secret.ValueString() == own {
		return refuse(atSSH.AtName("secret"), "Secret of the site itself", fmt.Sprintf("%q is the name of the Secret that this site makes for ssh.private_key_wo, and removes when it is not used any more. "+
			"Keep the key in a Secret of another name, or give the site another name.", own))
	}
	return nil
}

// rootNeeded: a host may say another user, so that this is no error.
func rootNeeded(m Model) []composite.Finding {
	ssh, _ := m.SSH.Get()
	if ssh.User.IsUnknown() || ssh.User.IsNull() || ssh.User.ValueString() == defaultUser || ssh.UseSudo.IsUnknown() || ssh.UseSudo.ValueBool() {
		return nil
	}
	return []composite.Finding{{Path: atSSH.AtName("use_sudo"), Warning: true, Summary: "k0s is installed as root", Detail: fmt.Sprintf(
		"Hosts are reached as %s without sudo, and only root can install k0s. Set ssh.use_sudo = true, unless this user has the rights of root.", ssh.User.ValueString())}}
}
