# Builds, tests, shows and installs vaulttool. Needs the Swift toolchain; `make deps` gets the rest.

PREFIX ?= /usr/local
BINARY := .build/release/vaulttool
SOURCES := Package.swift $(shell find Sources -type f 2>/dev/null)
# Swift's runtime goes into the binary; -z now binds every C function at start, because binding one
# at its first call can leave key bytes of a register on the stack; -s drops the symbols.
RELEASE := -c release --static-swift-stdlib -Xlinker -z -Xlinker now -Xlinker -s

.PHONY: help deps build test demo install bench histories lint clean

help:
	@echo 'make deps      install the system packages that are missing (apt; does nothing when all are there)'
	@echo 'make build     build $(BINARY)'
	@echo 'make demo      build, then a tour: pack, verify and unpack the sample notes'
	@echo 'make test      run every check: format, tests, the tour, the commands of README.md'
	@echo 'make install   build, then put vaulttool into $(PREFIX)/bin (PREFIX=..., DESTDIR=...)'
	@echo 'make bench     build, then measure against the machine and against other tools (BENCH="--quick")'
	@echo 'make histories build, then play random git histories beside a plain model (HISTORIES="--count 50")'
	@echo 'make lint      check the format of the Swift code'
	@echo 'make clean     remove everything that was built'

deps:
	@.ci/deps

build: $(BINARY)

# SwiftPM leaves an up-to-date binary alone, so its time is set here.
$(BINARY): $(SOURCES) | deps
	swift build $(RELEASE) --product vaulttool
	@touch -c $@

test: deps
	@.ci/test

demo: $(BINARY)
	@fixtures/demo.sh $(BINARY)

install: $(BINARY)
	@install -d '$(DESTDIR)$(PREFIX)/bin'
	@install -m 755 $(BINARY) '$(DESTDIR)$(PREFIX)/bin/vaulttool'
	@echo 'installed $(DESTDIR)$(PREFIX)/bin/vaulttool'

bench: $(BINARY)
	bench/run --tool $(BINARY) $(BENCH)

histories: $(BINARY)
	Tests/Histories/run --tool $(BINARY) $(HISTORIES)

lint:
	swift format lint --strict --recursive Sources Tests Package.swift

clean:
	rm -rf .build
