// Command apiserver runs, in one process and on loopback, what a cluster without nodes needs: etcd, kube-apiserver,
// and a few controllers of kube-controller-manager, the garbage collector above all. It is for demos and tests.
package main

import (
	"fmt"
	"net/url"
	"os"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
	"k8s.io/component-base/cli"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
)

func main() {
	if err := startEtcd(os.Getenv("ETCD_DATA_DIR"), os.Getenv("ETCD_CLIENT_URL"), os.Getenv("ETCD_PEER_URL")); err != nil {
		fmt.Fprintln(os.Stderr, "etcd:", err)
		os.Exit(1)
	}
	if kubeconfig := os.Getenv("CONTROLLERS_KUBECONFIG"); kubeconfig != "" {
		go startControllers(kubeconfig)
	}
	os.Exit(cli.Run(app.NewAPIServerCommand()))
}

// startEtcd serves one member and returns when it is ready. Durability is given up for speed: what is in this
// cluster is made again by the next demo or test.
func startEtcd(dir, client, peer string) error {
	if dir == "" || client == "" || peer == "" {
		return fmt.Errorf("ETCD_DATA_DIR, ETCD_CLIENT_URL and ETCD_PEER_URL must be set")
	}
	clientURL, err := url.Parse(client)
	if err != nil {
		return err
	}
	peerURL, err := url.Parse(peer)
	if err != nil {
		return err
	}
	cfg := embed.NewConfig()
	cfg.Dir = dir
	cfg.LogLevel = "error"
	cfg.UnsafeNoFsync = true
	cfg.ListenClientUrls, cfg.AdvertiseClientUrls = []url.URL{*clientURL}, []url.URL{*clientURL}
	cfg.ListenPeerUrls, cfg.AdvertisePeerUrls = []url.URL{*peerURL}, []url.URL{*peerURL}
	cfg.InitialCluster = cfg.InitialClusterFromName(cfg.Name)
	server, err := embed.StartEtcd(cfg)
	if err != nil {
		return err
	}
	select {
	case <-server.Server.ReadyNotify():
		return nil
	case err := <-server.Err():
		return err
	case <-time.After(time.Minute):
		return fmt.Errorf("not ready after a minute")
	}
}
