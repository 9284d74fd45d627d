// Package external starts API servers as separate programs for tests that start one in their own process.
package external

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

const (
	readyTimeout = 90 * time.Second
	stopTimeout  = 20 * time.Second
	pollInterval = 50 * time.Millisecond
	logTailBytes = 2000
)

// Server is a running API server.
type Server struct {
	// Config is that of an administrator who authenticates with a token, like the loopback client of a server in the same process.
	Config *rest.Config
	// Files are its certificates and keys.
	Files *Files

	cmd    *exec.Cmd
	exited chan struct{}
	log    string
}

// Wait says what a start waits for.
type Wait struct {
	// Health is whether /healthz must answer 200.
	Health bool
	// Excluded are checks of /healthz that may fail.
	Excluded []string
	// Namespaces must exist.
	Namespaces []string
}

// Start runs the program of SUITE_SERVER (the words of a command) with flags of kube-apiserver, and waits until it is ready.
// The flags must not contain those of the address and of the tokens, which are set here: token files of `tokenFiles` are read once.
func Start(files *Files, flags []string, tokenFile string, wait Wait) (*Server, error) {
	command := strings.Fields(os.Getenv("SUITE_SERVER"))
	if len(command) == 0 {
		return nil, fmt.Errorf("SUITE_SERVER must be the command that starts a server")
	}
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	if err := files.addTokens(tokenFile); err != nil {
		return nil, err
	}
	log, err := os.Create(filepath.Join(files.Dir, "server.log"))
	if err != nil {
		return nil, err
	}
	defer func() { _ = log.Close() }()
	args := append(command[1:], "--bind-address=127.0.0.1", "--secure-port="+strconv.Itoa(port), "--token-auth-file="+files.Tokens)
	cmd := exec.Command(command[0], append(args, flags...)...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.Env = append(os.Environ(), "SUITE_DIR="+files.Dir)
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("SUITE_SERVER: %w", err)
	}
	recordProcess(cmd.Process.Pid)
	server := &Server{
		Files:  files,
		cmd:    cmd,
		exited: make(chan struct{}),
		log:    log.Name(),
		Config: &rest.Config{
			Host:            "https://127.0.0.1:" + strconv.Itoa(port),
			BearerToken:     files.Token,
			TLSClientConfig: rest.TLSClientConfig{CAData: files.ServingCA},
			QPS:             1000,
			Burst:           10000,
		},
	}
	go func() {
		_ = cmd.Wait()
		close(server.exited)
	}()
	if err := server.untilReady(wait); err != nil {
		server.Stop()
		return nil, err
	}
	return server, nil
}

// Stop ends the server and waits for its end.
func (s *Server) Stop() {
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-s.exited:
	case <-time.After(stopTimeout):
		_ = s.cmd.Process.Kill()
		<-s.exited
	}
	if kept := os.Getenv("SUITE_LOGS"); kept != "" {
		_ = os.Rename(s.log, filepath.Join(kept, filepath.Base(s.Files.Dir)+".log"))
	}
	_ = os.RemoveAll(s.Files.Dir)
}

func (s *Server) untilReady(wait Wait) error {
	config := rest.CopyConfig(s.Config)
	config.Timeout = 5 * time.Second
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return err
	}
	defer client.CloseIdleConnections()
	paths := []string{}
	if wait.Health {
		path := "/healthz?"
		for _, check := range wait.Excluded {
			path += "exclude=" + check + "&"
		}
		paths = append(paths, path)
		for _, namespace := range wait.Namespaces {
			paths = append(paths, "/api/v1/namespaces/"+namespace)
		}
	} else {
		paths = append(paths, "/livez/ping")
	}
	deadline := time.Now().Add(readyTimeout)
	for _, path := range paths {
		for !answers(client, config.Host+path) {
			select {
			case <-s.exited:
				return fmt.Errorf("the server ended: %s", s.logTail())
			case <-time.After(pollInterval):
			}
			if time.Now().After(deadline) {
				return fmt.Errorf("the server is not ready after %s at %s: %s", readyTimeout, path, s.logTail())
			}
		}
	}
	return nil
}

func answers(client *http.Client, url string) bool {
	response, err := client.Get(url)
	if err != nil {
		return false
	}
	defer func() { _ = response.Body.Close() }()
	return response.StatusCode == http.StatusOK
}

func (s *Server) logTail() string {
	text, err := os.ReadFile(s.log)
	if err != nil {
		return err.Error()
	}
	return string(bytes.TrimSpace(text[max(0, len(text)-logTailBytes):]))
}

// recordProcess adds a process to the file SUITE_PIDS, so that those that a crashed test leaves can be ended.
func recordProcess(pid int) {
	name := os.Getenv("SUITE_PIDS")
	if name == "" {
		return
	}
	file, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	defer func() { _ = file.Close() }()
	_, _ = fmt.Fprintln(file, pid)
}

func freePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().(*net.TCPAddr).Port, nil
}

var definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}

// Definitions are the names of the CustomResourceDefinitions of a server.
func Definitions(config *rest.Config) (map[string]bool, error) {
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	list, err := client.Resource(definitions).List(context.Background(), metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	names := map[string]bool{}
	for _, item := range list.Items {
		names[item.GetName()] = true
	}
	return names, nil
}

// RemoveDefinitions deletes the CustomResourceDefinitions that are not among those to keep, with the finalizers that a test left, and waits
// until they are gone, so that the next test finds the server as a new one.
func RemoveDefinitions(config *rest.Config, keep map[string]bool) error {
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), readyTimeout)
	defer cancel()
	for {
		names, err := Definitions(config)
		if err != nil {
			return err
		}
		left := false
		for name := range names {
			if keep[name] {
				continue
			}
			left = true
			if err := removeDefinition(ctx, client, name); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		if !left {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("definitions are left after %s", readyTimeout)
		case <-time.After(pollInterval):
		}
	}
}

// removeDefinition deletes a definition. While it is there, finalizers of tests are taken away: its objects' own is the server's.
func removeDefinition(ctx context.Context, client dynamic.Interface, name string) error {
	definition, err := client.Resource(definitions).Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if definition.GetDeletionTimestamp() == nil {
		err = client.Resource(definitions).Delete(ctx, name, metav1.DeleteOptions{})
	} else {
		kept := []string{}
		for _, finalizer := range definition.GetFinalizers() {
			if finalizer == "customresourcecleanup.apiextensions.k8s.io" {
				kept = append(kept, finalizer)
			}
		}
		if len(kept) == len(definition.GetFinalizers()) {
			return nil
		}
		definition.SetFinalizers(kept)
		_, err = client.Resource(definitions).Update(ctx, definition, metav1.UpdateOptions{})
	}
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return nil
	}
	return err
}
