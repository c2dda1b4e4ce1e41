# From the tarball that `npm pack` leaves in this directory: npm pack && docker build -t agent-session-service .
FROM node:24-bookworm-slim

# For agents and their sandbox; add chromium for the browser tools. tini collects what their commands leave behind.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends bubblewrap ca-certificates git tini \
  && rm -rf /var/lib/apt/lists/*

COPY agent-session-service-*.tgz /tmp/
# With `ci` npm obeys the lock file in the tarball, which it does not when it installs the tarball itself.
RUN mkdir /opt/agent-session-service \
  && tar --extract --gzip --file /tmp/agent-session-service-*.tgz --directory /opt/agent-session-service --strip-components 1 --no-same-owner \
  && npm ci --prefix /opt/agent-session-service --omit=dev --ignore-scripts --no-fund --no-audit \
  && chmod +x /opt/agent-session-service/dist/host/main.js \
  && ln -s /opt/agent-session-service/dist/host/main.js /usr/local/bin/agent-session-service \
  && rm -rf /tmp/agent-session-service-*.tgz ~/.npm \
  && install --directory --owner=node --group=node --mode=700 /data \
  && install --directory --owner=node --group=node /workspace

USER node
WORKDIR /workspace
ENV NODE_ENV=production SERVICE_HOST=0.0.0.0 SERVICE_DATA_DIR=/data SERVICE_WORKSPACE=/workspace
VOLUME ["/data", "/workspace"]
EXPOSE 7331
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.SERVICE_PORT || 7331}/api/health`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# No shell and no npm in between: tini passes SIGTERM on to the service, which then stores everything. As the first process itself
# the service would keep a dead entry of every process that a command left in the background.
ENTRYPOINT ["tini", "-s", "--"]
CMD ["agent-session-service"]
