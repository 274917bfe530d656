# The image holds Node, the production dependencies and the sources; Node runs TypeScript as it is.
FROM node:24-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The optional dependencies bring Node itself, which the image already has.
RUN npm ci --omit=dev --omit=optional && mkdir data

FROM node:24-slim
ENV NODE_ENV=production
# Inside a container loopback is reached by nobody.
ENV HOST=0.0.0.0
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY package.json ./
COPY scripts/check-node.mjs ./scripts/
COPY config ./config
COPY src ./src
COPY --from=dependencies --chown=node:node /app/data ./data
USER node
VOLUME /app/data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=15s CMD ["node", "src/cli/bin.mjs", "healthcheck"]
CMD ["node", "src/cli/bin.mjs", "serve"]
