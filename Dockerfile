# The hub manager, the agent and the command in one image: docker build -t outrigger . && docker run outrigger hub --help
FROM node:20-slim AS build
WORKDIR /src
COPY . .
RUN npm ci --ignore-scripts && node tools/bundle.mjs --package && cd dist/package && npm install --omit=dev --ignore-scripts --no-package-lock

FROM node:20-slim
ENV NODE_ENV=production
COPY --from=build /src/dist/package /opt/outrigger
USER 65532:65532
ENTRYPOINT ["node", "/opt/outrigger/bundle/main.js"]
CMD ["--help"]
