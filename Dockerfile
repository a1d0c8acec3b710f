# kith in a container with nothing else in it:
#
#   docker build -t kith .
#   docker run -p 8080:8080 -v kith:/data kith
#
# The database is in /data, which must be kept, and beside it the key under which
# secrets in it are sealed (kith.db.key): keep a copy of that elsewhere. With a
# PostgreSQL database give the key itself, as KITH_SECRET_KEY. Settings are
# variables: see docs/operations.md.

FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags='-s -w' -buildvcs=auto -o /out/kith ./cmd/kith && mkdir -m 0700 /out/data

FROM gcr.io/distroless/static-debian12:nonroot
COPY --from=build /out/kith /kith
COPY --from=build --chown=65532:65532 /out/data /data
WORKDIR /data
VOLUME /data
ENV KITH_DB=sqlite:/data/kith.db KITH_ADDR=:8080
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=5s --timeout=6s --start-period=60s CMD ["/kith", "health"]
ENTRYPOINT ["/kith"]
CMD ["serve"]
