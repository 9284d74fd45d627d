# An image of one program: docker build --build-arg APP=kube-core -t apichain-kube-core . (aggregator, kube-core, apiextensions, controllers, or
# apichain, the command line). It holds the program's bundle and the packages that this imports, not the repository.
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc tsconfig.base.json ./
COPY libs libs
COPY apps apps
RUN npm ci --ignore-scripts
COPY tools/package tools/package
COPY templates templates
ARG APP
RUN node tools/package/build-app.ts apps/${APP:?} \
  && cp .npmrc dist/apps/${APP}/ \
  && cd dist/apps/${APP} && npm ci --omit=dev --ignore-scripts

FROM node:24-bookworm-slim
ENV NODE_ENV=production
WORKDIR /app
ARG APP
COPY --from=build /app/dist/apps/${APP} /app
USER node
# What the variable and the flag buy: apps/apichain/src/up/heap.ts.
ENV MALLOC_ARENA_MAX=1
ENTRYPOINT ["node", "--max-semi-space-size=16", "."]
CMD ["--help"]
