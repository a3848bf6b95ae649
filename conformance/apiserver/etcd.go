package apiserver

import (
	"fmt"
	"net/url"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/embed"
	"go.etcd.io/etcd/server/v3/etcdserver/api/v3client"
)

// startEtcd starts an etcd cluster of one member, which runs until the process
// ends. Short election timeouts and no fsync make it fast.
func startEtcd(directory string) (*embed.Etcd, *clientv3.Client, error) {
	loopback := []url.URL{{Scheme: "http", Host: "127.0.0.1:0"}}
	config := embed.NewConfig()
	config.Dir = directory
	config.LogLevel = "panic"
	config.ListenPeerUrls, config.AdvertisePeerUrls = loopback, loopback
	config.ListenClientUrls, config.AdvertiseClientUrls = loopback, loopback
	config.InitialCluster = config.InitialClusterFromName(config.Name)
	config.TickMs, config.ElectionMs = 10, 100
	config.UnsafeNoFsync = true
	etcd, err := embed.StartEtcd(config)
	if err != nil {
		return nil, nil, fmt.Errorf("start etcd: %w", err)
	}
	select {
	case <-etcd.Server.ReadyNotify():
		return etcd, v3client.New(etcd.Server), nil
	case err = <-etcd.Err():
	case <-time.After(startTime):
		err = fmt.Errorf("not ready after %v", startTime)
	}
	etcd.Close()
	return nil, nil, fmt.Errorf("start etcd: %w", err)
}
