package external

import (
	"context"
	"fmt"
	"path"
	"strings"
	"sync"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// settleTime is how long the watches of a server may take to see that its data was put back.
const settleTime = 500 * time.Millisecond

// Pooled is a server that several tests use one after the other. Between two of them its data is put back to what it was after the start.
type Pooled struct {
	Server *Server
	Prefix string

	initial map[string]string
	inUse   bool
}

var (
	poolLock sync.Mutex
	pool     = map[string]*Pooled{}
)

// Acquire gives the server for a key that is not in use, or starts one. It is nil without an error when the server is in use.
func Acquire(key string, etcd *clientv3.Client, start func() (*Server, string, error)) (*Pooled, error) {
	poolLock.Lock()
	defer poolLock.Unlock()
	if found := pool[key]; found != nil {
		if found.inUse {
			return nil, nil
		}
		found.inUse = true
		return found, nil
	}
	server, prefix, err := start()
	if err != nil {
		return nil, err
	}
	// Bootstrap objects are still written for a moment.
	time.Sleep(4 * settleTime)
	initial, err := snapshot(etcd, prefix)
	if err != nil {
		return nil, err
	}
	pooled := &Pooled{Server: server, Prefix: prefix, initial: initial, inUse: true}
	pool[key] = pooled
	return pooled, nil
}

// Release puts the data back: what was created is deleted, what was changed or deleted is written again.
func (p *Pooled) Release(etcd *clientv3.Client) error {
	ctx, cancel := context.WithTimeout(context.Background(), readyTimeout)
	defer cancel()
	now, err := snapshot(etcd, p.Prefix)
	if err != nil {
		return err
	}
	for key := range now {
		if _, known := p.initial[key]; !known {
			if _, err := etcd.Delete(ctx, key); err != nil {
				return fmt.Errorf("%s: %w", key, err)
			}
		}
	}
	for key, value := range p.initial {
		if now[key] != value {
			if _, err := etcd.Put(ctx, key, value); err != nil {
				return fmt.Errorf("%s: %w", key, err)
			}
		}
	}
	time.Sleep(settleTime)
	poolLock.Lock()
	defer poolLock.Unlock()
	p.inUse = false
	return nil
}

// snapshot reads the keys of a server, without those it keeps about itself.
func snapshot(etcd *clientv3.Client, prefix string) (map[string]string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), readyTimeout)
	defer cancel()
	response, err := etcd.Get(ctx, path.Join("/", prefix)+"/", clientv3.WithPrefix())
	if err != nil {
		return nil, err
	}
	keys := map[string]string{}
	for _, pair := range response.Kvs {
		if key := string(pair.Key); !strings.Contains(key, "leases/") {
			keys[key] = string(pair.Value)
		}
	}
	return keys, nil
}
