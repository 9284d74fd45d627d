#!/bin/sh
# Builds Go test suites of Kubernetes that start their servers as programs of their own (run.ts). Downloads nothing.
set -eu
if [ $# -lt 3 ]; then
  echo "usage: $0 KUBERNETES_TREE GOROOT OUT_DIR [PACKAGE...]" >&2
  echo "  KUBERNETES_TREE  a checkout of Kubernetes 1.36 with go.work, staging, test and vendor; it is not changed" >&2
  echo "  GOROOT           a Go installation that is new enough for it" >&2
  echo "  OUT_DIR          gets a program for each package" >&2
  echo "  PACKAGE          packages of suites.json; without any, all" >&2
  exit 1
fi
kubernetes=$(cd "$1" && pwd)
export GOROOT="$2" GOFLAGS=-mod=vendor GOPROXY=off GOTOOLCHAIN=local CGO_ENABLED=0
mkdir -p "$3"
out=$(cd "$3" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
shift 3
[ $# -gt 0 ] || set -- $(sed -n 's/.*"package": "\([^"]*\)".*/\1/p' "$here/suites.json")

fixtures=$kubernetes/staging/src/k8s.io/apiextensions-apiserver/test/integration
cat > "$out/overlay.json" <<END
{ "Replace": {
  "$fixtures/external/server.go": "$here/overlay/server.go",
  "$fixtures/external/files.go": "$here/overlay/files.go",
  "$fixtures/external/features.go": "$here/overlay/features.go",
  "$fixtures/external/pool.go": "$here/overlay/pool.go",
  "$fixtures/fixtures/server.go": "$here/overlay/fixtures.go",
  "$kubernetes/cmd/kube-apiserver/app/testing/testserver.go": "$here/overlay/testserver.go",
  "$kubernetes/test/integration/framework/test_server.go": "$here/overlay/framework.go",
  "$kubernetes/test/integration/framework/reviews.go": "$here/overlay/reviews.go"
} }
END
cd "$kubernetes"
# shellcheck disable=SC2086
"$GOROOT/bin/go" test -c -p "${GO_JOBS:-2}" -vet=off -ldflags="-s -w" -overlay "$out/overlay.json" -o "$out/" "$@"
