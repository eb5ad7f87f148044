//go:build !linux

package process

import "syscall"

// attributes make the child a group of its own. Only Linux kills it with us; elsewhere the records are what remains.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}
