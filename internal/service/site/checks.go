package site

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
)

// A check says nothing about what is not known yet: it is asked again when it is.
var checks = []composite.Check[Model]{oneKey, usableKey, rootNeeded}

var transitions = []composite.Transition[Model]{notItsOwn}

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

// notItsOwn: the Secret that the site made would be removed by the very change that names it.
func notItsOwn(prior, plan Model) []composite.Finding {
	was, ok := prior.SSH.Get()
	now, _ := plan.SSH.Get()
	if own := secretName(prior.Name.ValueString()); ok && was.Secret.IsNull() && now.Secret.ValueString() == own {
		return refuse(atSSH.AtName("secret"), "Secret of the site itself", fmt.Sprintf("Secret %q was made by this site for ssh.private_key_wo, and is removed when the site does not need it any more. "+
			"Keep ssh.private_key_wo, or put the key into a Secret of another name and name that.", own))
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
