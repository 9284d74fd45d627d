# One image for every service of the chain; docker-compose.yml says which one a container runs.
FROM node:24-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY libs libs
COPY apps apps
RUN npm ci --omit=dev --ignore-scripts

FROM node:24-bookworm-slim
ENV NODE_ENV=production
WORKDIR /app
COPY --from=dependencies /app /app
USER node
ENTRYPOINT ["node"]
CMD ["apps/aggregator/src/main.ts", "--help"]
