# The images of all programs: docker build --build-arg APP=kube-core -t apichain-kube-core . (aggregator, kube-core, apiextensions, controllers, simulation,
# sample-apiserver, or apichain, the command line). An image holds Node, the libraries that it loads, the bundle of the program and the packages
# that this imports: no shell, no package manager, not the repository. The stage `build` makes all programs, so that further images take seconds.
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc tsconfig.base.json ./
COPY libs libs
COPY apps apps
RUN npm ci --ignore-scripts
COPY tools/package tools/package
COPY templates templates
RUN set -e; for app in aggregator kube-core apiextensions controllers simulation sample-apiserver apichain; do \
    node tools/package/build-app.ts apps/$app; \
    cp .npmrc dist/apps/$app/; \
    (cd dist/apps/$app && npm ci --omit=dev --ignore-scripts); \
  done

# Node and what it loads, as the root of a file system.
FROM node:24-bookworm-slim AS system
RUN set -e; \
  mkdir -p /root-fs/usr/bin /root-fs/etc /root-fs/tmp; chmod 1777 /root-fs/tmp; \
  node=$(readlink -f "$(command -v node)"); cp "$node" /root-fs/usr/bin/node; \
  for library in $(ldd "$node" | grep -o '/[^ )]*'); do mkdir -p "/root-fs$(dirname "$library")"; cp -L "$library" "/root-fs$library"; done; \
  echo 'node:x:1000:1000::/app:/bin/false' >/root-fs/etc/passwd; \
  echo 'node:x:1000:' >/root-fs/etc/group; \
  echo 'hosts: files dns' >/root-fs/etc/nsswitch.conf

FROM scratch
COPY --from=system /root-fs /
ARG APP
COPY --from=build /app/dist/apps/${APP:?} /app
WORKDIR /app
USER 1000:1000
# What the variable and the flag buy: apps/apichain/src/up/heap.ts.
ENV NODE_ENV=production PATH=/usr/bin MALLOC_ARENA_MAX=1
ENTRYPOINT ["/usr/bin/node", "--max-semi-space-size=16", "."]
CMD ["--help"]
