# The hub manager, the agent and the command in one image: docker build -t outrigger:0.1.0 . && docker run outrigger:0.1.0 hub --help
#
# The base is an argument, so that a release pins it by digest (docker buildx imagetools inspect node:24-slim prints it):
#   docker build --build-arg NODE_IMAGE=node:24-slim@sha256:<digest> -t outrigger:0.1.0 .
ARG NODE_IMAGE=node:24-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /src
COPY package.json package-lock.json tsconfig.base.json ./
COPY packages ./packages
COPY tools ./tools
COPY LICENSE README.md ./
RUN npm ci --ignore-scripts --no-audit --no-fund
RUN node tools/bundle.mjs --package
# From the lock file that the bundle step writes: the same versions, checked by their digests, as the repository's own.
RUN npm ci --prefix dist/package --omit=dev --ignore-scripts --no-audit --no-fund

FROM ${NODE_IMAGE}
ENV NODE_ENV=production
COPY --from=build /src/dist/package /opt/outrigger
# A user without a name: the program never writes to its own file system.
USER 65532:65532
ENTRYPOINT ["node", "/opt/outrigger/bundle/main.js"]
CMD ["--help"]
