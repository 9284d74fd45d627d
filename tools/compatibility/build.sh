#!/bin/sh
# Builds the Go extension API servers that tools/compatibility/main.ts runs. Downloads nothing: both source trees need their vendor folders.
set -eu
if [ $# -ne 4 ]; then
  echo "usage: $0 KUBERNETES_TREE METRICS_SERVER_TREE GOROOT OUT_DIR" >&2
  echo "  KUBERNETES_TREE      a checkout of Kubernetes 1.36 with go.work, staging and vendor" >&2
  echo "  METRICS_SERVER_TREE  a checkout of metrics-server with vendor" >&2
  echo "  GOROOT               a Go installation that is new enough for both" >&2
  exit 1
fi
kubernetes=$1 metrics_server=$2
export GOROOT="$3" GOFLAGS=-mod=vendor GOPROXY=off GOTOOLCHAIN=local CGO_ENABLED=0
mkdir -p "$4"
out=$(cd "$4" && pwd)
(cd "$kubernetes" && "$GOROOT/bin/go" build -o "$out/sample-apiserver" k8s.io/sample-apiserver)
(cd "$metrics_server" && "$GOROOT/bin/go" build -o "$out/metrics-server" ./cmd/metrics-server)
