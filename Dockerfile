# The image holds Node, the production dependencies and the built files.
ARG NODE_IMAGE=node:24-slim
FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc tsconfig.json ./
# The optional platform packages bring Node itself, which the image already has; the bundler needs its own.
RUN npm ci
COPY src ./src
COPY ui ./ui
COPY scripts/build-beside.mjs scripts/build-program.mjs scripts/build-console.mjs scripts/check-node.mjs ./scripts/
RUN npm run build:program && npm run build:console && npm prune --omit=dev --omit=optional && mkdir data

FROM ${NODE_IMAGE}
ENV NODE_ENV=production
# One arena, as npm start: threads that mostly wait need no memory of their own.
ENV MALLOC_ARENA_MAX=1
# Inside a container loopback is reached by nobody.
ENV HOST=0.0.0.0
WORKDIR /app
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY package.json ./
COPY config ./config
COPY --from=build --chown=node:node /app/data ./data
# `docker compose exec bridge scim-bridge …`
RUN printf '#!/bin/sh\nexec node /app/dist/cli/main.js "$@"\n' > /usr/local/bin/scim-bridge && chmod 755 /usr/local/bin/scim-bridge
USER node
VOLUME /app/data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=15s CMD ["node", "dist/cli/main.js", "healthcheck"]
# As npm start: a small heap.
CMD ["node", "--max-semi-space-size=4", "--heap-growing-percent=25", "dist/cli/main.js", "serve"]
