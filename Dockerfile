# Builds the playground's container image:
#
#   docker build -t crdlab . && docker run -p 8080:8080 -v crdlab:/data crdlab
#
# A release names the base images by their digests, so that it can be rebuilt from the
# same images:
#
#   digest() { docker buildx imagetools inspect "$1" --format '{{.Manifest.Digest}}'; }
#   go=docker.io/library/golang:1.26-bookworm node=docker.io/library/node:22-bookworm-slim
#   docker build --build-arg GO_IMAGE=$go@$(digest $go) --build-arg NODE_IMAGE=$node@$(digest $node) -t crdlab .
ARG GO_IMAGE=docker.io/library/golang:1.26-bookworm
ARG NODE_IMAGE=docker.io/library/node:22-bookworm-slim

# Build stages run on the build platform and cross-compile for TARGETARCH.
FROM --platform=${BUILDPLATFORM} ${NODE_IMAGE} AS node

FROM --platform=${BUILDPLATFORM} ${GO_IMAGE} AS build
COPY --from=node /usr/local/bin/node /usr/local/bin/node
COPY --from=node /usr/local/lib/node_modules /usr/local/lib/node_modules
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY package.json package-lock.json ./
# Scripts of packages must not run beside the source of the binary.
RUN npm ci --no-audit --no-fund --ignore-scripts
COPY . .
ARG TARGETARCH
ARG BROTLI=11
# The releases whose own libraries judge, such as "1.31 1.36", in the server and in the
# page. Each adds about 70 MB, and minutes to the build.
ARG RELEASES=
RUN mkdir -p dist/programs && for release in ${RELEASES}; do \
        make dist/programs/${release} dist/modules/${release}.wasm.br SERVER_ARCH=${TARGETARCH} BROTLI=${BROTLI} || exit 1; \
    done
ARG VERSION=unknown
RUN make build SERVER_ARCH=${TARGETARCH} VERSION=${VERSION} BROTLI=${BROTLI} && mkdir /data

FROM scratch
ARG VERSION=unknown
LABEL org.opencontainers.image.title="crdlab"
LABEL org.opencontainers.image.description="A playground for Kubernetes CRD schemas: what the API server would do, and why"
LABEL org.opencontainers.image.version="${VERSION}"
LABEL org.opencontainers.image.licenses="Apache-2.0"
LABEL org.opencontainers.image.source="https://github.com/crdlab/crdlab"
# For connections to PostgreSQL and to webhooks with TLS.
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /src/bin/crdlab /crdlab
COPY --from=build /src/dist/programs /programs
COPY --from=build /src/LICENSE /src/THIRD_PARTY_NOTICES /
COPY --from=build --chown=65532:65532 /data /data
ENV CRDLAB_ADDR=0.0.0.0:8080
ENV CRDLAB_STORE=file:///data/links
VOLUME /data
EXPOSE 8080
USER 65532:65532
ENTRYPOINT ["/crdlab"]
# Without it, "docker run -it" would print the commands.
CMD ["serve"]
