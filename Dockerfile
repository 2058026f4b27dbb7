# The hub manager, the agent and the command in one image: docker build -t outrigger . && docker run outrigger hub --help
FROM node:20-slim AS build
WORKDIR /src
COPY package.json package-lock.json tsconfig.base.json ./
COPY packages ./packages
COPY tools ./tools
COPY LICENSE README.md ./
RUN npm ci --ignore-scripts --no-audit --no-fund
RUN node tools/bundle.mjs --package
RUN npm install --prefix dist/package --omit=dev --ignore-scripts --no-package-lock --no-audit --no-fund

FROM node:20-slim
ENV NODE_ENV=production
COPY --from=build /src/dist/package /opt/outrigger
# Nobody: what runs here never writes to its own file system.
USER 65532:65532
ENTRYPOINT ["node", "/opt/outrigger/bundle/main.js"]
CMD ["--help"]
