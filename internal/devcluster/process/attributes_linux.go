package process

import "syscall"

// attributes make the child a group of its own that the kernel kills when we die, however we die.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
