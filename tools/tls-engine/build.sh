#!/bin/sh
# Builds OpenSSL's TLS client as a WebAssembly module, from the sources as OpenSSL's project published them, unchanged.
#   sh tools/tls-engine/build.sh openssl-3.0.22.tar.gz engine.wasm
# Debian 12: apt-get install clang-19 lld-19 llvm-19 wasi-libc libclang-rt-19-dev-wasm32 binaryen make perl
# The sources: apt-get source --download-only openssl (openssl_3.0.22.orig.tar.gz).
# The same sources and tools make the same bytes. Then: node --conditions=source tools/tls-engine.ts engine.wasm
set -eu
expected=67ebca7e50d17383028045486653492195b83db95f8558709701bb47b5c1ef81
sources=$(realpath "$1")
here=$(dirname "$(realpath "$0")")
output=$(realpath "$(dirname "$2")")/$(basename "$2")
echo "$expected  $sources" | sha256sum --check --quiet

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tar -xzf "$sources" -C "$work" --strip-components=1
cp "$here/engine.c" "$here/wasi.h" "$work/"
cd "$work"

export SOURCE_DATE_EPOCH=1787616000 LC_ALL=C TZ=UTC
# -D__ELF__ chooses getentropy, which is the browser's crypto.getRandomValues, as the one source of entropy.
# AES without the processor's help reads tables by its key; OPENSSL_AES_CONST_TIME is the form that does not.
CC='clang-19 --target=wasm32-wasi' AR=llvm-ar-19 RANLIB=llvm-ranlib-19 CROSS_COMPILE= \
CFLAGS='-O2 -ffunction-sections -fdata-sections -mbulk-memory -msign-ext -mnontrapping-fptoint -include wasi.h -D__ELF__ -D_WASI_EMULATED_SIGNAL -D_WASI_EMULATED_GETPID -D_WASI_EMULATED_PROCESS_CLOCKS -DUSE_TIMEGM=1 -DOPENSSL_AES_CONST_TIME -DNO_SYSLOG' \
./Configure linux-generic32 --with-rand-seed=getrandom \
  no-asm no-pic no-async no-egd no-afalgeng no-ktls no-module no-dso no-engine no-secure-memory no-shared no-sock no-dgram no-posix-io no-threads no-ui-console no-tests \
  no-autoload-config no-deprecated no-legacy no-filenames no-multiblock no-trace no-dynamic-engine no-rdrand no-cached-fetch \
  no-ssl3 no-tls1 no-tls1_1 no-dtls no-srtp no-psk no-srp no-nextprotoneg no-comp no-weak-ssl-ciphers no-ssl-trace \
  no-ct no-cms no-ts no-ocsp no-cmp no-rfc3779 no-gost \
  no-aria no-bf no-blake2 no-camellia no-cast no-des no-dsa no-ec2m no-idea no-md2 no-md4 no-mdc2 no-ocb no-rc2 no-rc4 no-rc5 no-rmd160 no-scrypt no-seed no-siphash no-siv no-sm2 no-sm3 no-sm4 no-whirlpool \
  > configure.log
make -j"$(nproc)" build_generated libcrypto.a libssl.a > make.log 2>&1 || { tail -50 make.log; exit 1; }
clang-19 --target=wasm32-wasi -mexec-model=reactor -O2 -mbulk-memory -msign-ext -mnontrapping-fptoint -Iinclude -Wall -Wextra -D_WASI_EMULATED_SIGNAL \
  engine.c -o engine.wasm libssl.a libcrypto.a -lwasi-emulated-signal -lwasi-emulated-getpid -lwasi-emulated-process-clocks \
  -Wl,--gc-sections -Wl,--strip-all -Wl,-z,stack-size=262144 -Wl,--undefined=getentropy
wasm-opt -O2 --strip-producers --enable-bulk-memory --enable-sign-ext --enable-nontrapping-float-to-int engine.wasm -o "$output"
sha256sum "$output"
