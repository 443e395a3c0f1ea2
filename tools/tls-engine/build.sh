#!/bin/sh
# Builds OpenSSL's TLS client as a WebAssembly module, from the sources as OpenSSL's project and Debian 13 publish them: the release, and its later fixes.
#   sh tools/tls-engine/build.sh openssl_3.5.7.orig.tar.gz openssl_3.5.7-1~deb13u2.debian.tar.xz engine.wasm
# Debian 12: apt-get install clang-19 lld-19 llvm-19 wasi-libc libclang-rt-19-dev-wasm32 binaryen make perl
# The sources, with Debian 13's `deb-src` in the list of sources: apt-get source --download-only openssl=3.5.7-1~deb13u2.
# The same sources and tools make the same bytes. Then: node --conditions=source tools/tls-engine.ts engine.wasm
set -eu
release=a8c0d28a529ca480f9f36cf5792e2cd21984552a3c8e4aa11a24aa31aeac98e8
fixes=593a47654ead460a3b609503733f80bef552ff0802799d3b47784faacc50809f
sources=$(realpath "$1")
patches=$(realpath "$2")
here=$(dirname "$(realpath "$0")")
output=$(realpath "$(dirname "$3")")/$(basename "$3")
printf '%s  %s\n' "$release" "$sources" "$fixes" "$patches" | sha256sum --check --quiet

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tar -xzf "$sources" -C "$work" --strip-components=1
tar -xJf "$patches" -C "$work"
cp "$here"/*.[ch] "$work/"
cd "$work"
while read -r fix; do patch --silent --strip=1 < "debian/patches/$fix"; done < debian/patches/series

export SOURCE_DATE_EPOCH=1787505982 LC_ALL=C TZ=UTC
# -D__ELF__ chooses getentropy, which is the browser's crypto.getRandomValues, as the one source of entropy.
# AES without the processor's help reads tables by its key; OPENSSL_AES_CONST_TIME is the form that does not, and aes-gcm.c the one for bulk.
flags='-msimd128 -ffunction-sections -fdata-sections -mbulk-memory -msign-ext -mnontrapping-fptoint -include wasi.h -D__ELF__ -D_WASI_EMULATED_SIGNAL -D_WASI_EMULATED_GETPID -D_WASI_EMULATED_PROCESS_CLOCKS -DUSE_TIMEGM=1 -DOPENSSL_AES_CONST_TIME -DAES_CTR_ASM -DGHASH_ASM -DNO_SYSLOG'
CC='clang-19 --target=wasm32-wasi' AR=llvm-ar-19 RANLIB=llvm-ranlib-19 CROSS_COMPILE= CFLAGS="-Oz $flags" \
./Configure linux-generic32 --with-rand-seed=getrandom \
  no-asm no-pic no-async no-egd no-afalgeng no-ktls no-module no-dso no-engine no-secure-memory no-shared no-sock no-dgram no-posix-io no-stdio no-threads no-thread-pool no-ui-console no-tests no-apps no-docs no-http no-quic \
  no-autoload-config no-deprecated no-legacy no-filenames no-multiblock no-trace no-dynamic-engine no-rdrand no-cached-fetch \
  no-ssl3 no-tls1 no-tls1_1 no-dtls no-srtp no-psk no-srp no-nextprotoneg no-comp no-weak-ssl-ciphers no-ssl-trace \
  no-ct no-cms no-ts no-ocsp no-cmp no-rfc3779 no-gost no-integrity-only-ciphers no-tls-deprecated-ec \
  no-aria no-bf no-blake2 no-camellia no-cast no-des no-dh no-dsa no-ec2m no-idea no-md2 no-md4 no-mdc2 no-ml-dsa no-ocb no-rc2 no-rc4 no-rc5 no-rmd160 no-scrypt no-seed no-siphash no-siv no-slh-dsa no-sm2 no-sm3 no-sm4 no-whirlpool \
  > configure.log
make build_generated > make.log 2>&1
# What takes the time is compiled for speed, the rest for size.
hot=$(make --dry-run libcrypto.a | grep -oE ' -o crypto/[^ ]+\.o' | cut -c5- |
  grep -E '^crypto/(chacha|poly1305)/|-bn_(asm|mont|mul|sqr|nist|add|shift|lib)\.o|-(curve25519|ecp_smpl|ecp_mont|ecp_nist)\.o')
# shellcheck disable=SC2086
make -j"$(nproc)" CFLAGS="-O2 $flags" $hot >> make.log 2>&1
make -j"$(nproc)" libcrypto.a libssl.a >> make.log 2>&1 || { tail -50 make.log; exit 1; }
# A fault that takes memory without end ends the engine, not the page: 512 MB.
clang-19 --target=wasm32-wasi -mexec-model=reactor -O2 -msimd128 -mbulk-memory -msign-ext -mnontrapping-fptoint -Iinclude -Wall -Wextra -D_WASI_EMULATED_SIGNAL \
  engine.c aes-gcm.c -o engine.wasm libssl.a libcrypto.a -lwasi-emulated-signal -lwasi-emulated-getpid -lwasi-emulated-process-clocks \
  -Wl,--gc-sections -Wl,--strip-all -Wl,-z,stack-size=262144 -Wl,--undefined=getentropy -Wl,--max-memory=536870912
wasm-opt -Oz --strip-producers --enable-simd --enable-bulk-memory --enable-sign-ext --enable-nontrapping-float-to-int engine.wasm -o "$output"
sha256sum "$output"
