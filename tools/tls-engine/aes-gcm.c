/*
 * AES in counter mode and GHASH for processors that lend WebAssembly no instructions for them: what OpenSSL leaves to assembler elsewhere.
 * No branch and no place in memory depends on a key or a text. AES is bitsliced, eight blocks at a time (Kaesper and Schwabe, with the
 * S-box of Boyar and Peralta); GHASH multiplies integers with holes between the bits (Pornin).
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <wasm_simd128.h>
#include "internal/deprecated.h"
#include <openssl/aes.h>
#include <openssl/crypto.h>

typedef struct { uint64_t hi, lo; } block_t;

enum { WIDTH = 8, BLOCK = 16, ROUNDS_MOST = 14 };

#define XOR(a, b) wasm_v128_xor(a, b)
#define AND(a, b) wasm_v128_and(a, b)

/* --- AES --- */

#define SWAP(a, b, by, mask)                                                     \
    do {                                                                         \
        v128_t moved = AND(XOR(wasm_u64x2_shr(a, by), b), wasm_i8x16_splat(mask)); \
        b = XOR(b, moved);                                                       \
        a = XOR(a, wasm_i64x2_shl(moved, by));                                   \
    } while (0)

/* Blocks to planes and back: bit i of every byte of plane k is bit k of that byte of block i. */
static inline void transpose(v128_t q[WIDTH]) {
    for (int i = 0; i < WIDTH; i += 2) SWAP(q[i], q[i + 1], 1, 0x55);
    for (int i = 0; i < WIDTH; i += 4) {
        SWAP(q[i], q[i + 2], 2, 0x33);
        SWAP(q[i + 1], q[i + 3], 2, 0x33);
    }
    for (int i = 0; i < 4; i++) SWAP(q[i], q[i + 4], 4, 0x0f);
}

/* The S-box without its constant 0x63, which the round keys carry. */
static inline void substitute(v128_t q[WIDTH]) {
    v128_t x0 = q[7], x1 = q[6], x2 = q[5], x3 = q[4], x4 = q[3], x5 = q[2], x6 = q[1], x7 = q[0];
    v128_t y14 = XOR(x3, x5), y13 = XOR(x0, x6), y9 = XOR(x0, x3), y8 = XOR(x0, x5), t0 = XOR(x1, x2);
    v128_t y1 = XOR(t0, x7), y4 = XOR(y1, x3), y12 = XOR(y13, y14), y2 = XOR(y1, x0), y5 = XOR(y1, x6), y3 = XOR(y5, y8);
    v128_t t1 = XOR(x4, y12), y15 = XOR(t1, x5), y20 = XOR(t1, x1), y6 = XOR(y15, x7), y10 = XOR(y15, t0), y11 = XOR(y20, y9);
    v128_t y7 = XOR(x7, y11), y17 = XOR(y10, y11), y19 = XOR(y10, y8), y16 = XOR(t0, y11), y21 = XOR(y13, y16), y18 = XOR(x0, y16);

    v128_t t2 = AND(y12, y15), t4 = XOR(AND(y3, y6), t2), t6 = XOR(AND(y4, x7), t2);
    v128_t t7 = AND(y13, y16), t9 = XOR(AND(y5, y1), t7), t11 = XOR(AND(y2, y7), t7);
    v128_t t12 = AND(y9, y11), t14 = XOR(AND(y14, y17), t12), t16 = XOR(AND(y8, y10), t12);
    v128_t t21 = XOR(XOR(t4, t14), y20), t22 = XOR(XOR(t6, t16), y19), t23 = XOR(XOR(t9, t14), y21), t24 = XOR(XOR(t11, t16), y18);
    v128_t t25 = XOR(t21, t22), t26 = AND(t21, t23), t27 = XOR(t24, t26), t29 = XOR(AND(t25, t27), t22);
    v128_t t30 = XOR(t23, t24), t31 = XOR(t22, t26), t33 = XOR(AND(t31, t30), t24);
    v128_t t35 = XOR(t27, t33), t36 = AND(t24, t35), t37 = XOR(t36, XOR(t23, t33)), t38 = XOR(t27, t36), t40 = XOR(t25, AND(t29, t38));
    v128_t t41 = XOR(t40, t37), t42 = XOR(t29, t33), t43 = XOR(t29, t40), t44 = XOR(t33, t37), t45 = XOR(t42, t41);

    v128_t z0 = AND(t44, y15), z1 = AND(t37, y6), z2 = AND(t33, x7), z3 = AND(t43, y16), z4 = AND(t40, y1), z5 = AND(t29, y7);
    v128_t z6 = AND(t42, y11), z7 = AND(t45, y17), z8 = AND(t41, y10), z9 = AND(t44, y12), z10 = AND(t37, y3), z11 = AND(t33, y4);
    v128_t z12 = AND(t43, y13), z13 = AND(t40, y5), z14 = AND(t29, y2), z15 = AND(t42, y9), z16 = AND(t45, y14), z17 = AND(t41, y8);

    v128_t t46 = XOR(z15, z16), t48 = XOR(z5, z13), t53 = XOR(z0, z3), t57 = XOR(XOR(z2, z12), t53), t58 = XOR(z4, t46);
    v128_t t59 = XOR(z3, XOR(z6, z7)), t60 = XOR(t46, t57), t62 = XOR(XOR(z7, z8), t58), t63 = XOR(XOR(z9, z10), t58);
    v128_t t64 = XOR(z4, t59), t65 = XOR(XOR(z14, t57), t62), t66 = XOR(z1, t63), s3 = XOR(t53, t66);
    q[7] = XOR(t59, t63);
    q[6] = XOR(t64, s3);
    q[5] = XOR(XOR(z16, z17), XOR(t64, t65));
    q[4] = s3;
    q[3] = XOR(XOR(z2, z5), t66);
    q[2] = XOR(XOR(z10, z11), t65);
    q[1] = XOR(XOR(z12, t48), t62);
    q[0] = XOR(t48, t60);
}

/* The rows shifted, and the same with each row in the place of the one above it. */
#define SHIFTED(a) wasm_i8x16_shuffle(a, a, 0, 5, 10, 15, 4, 9, 14, 3, 8, 13, 2, 7, 12, 1, 6, 11)
#define SHIFTED_NEXT(a) wasm_i8x16_shuffle(a, a, 5, 10, 15, 0, 9, 14, 3, 4, 13, 2, 7, 8, 1, 6, 11, 12)
#define OPPOSITE(a) wasm_i8x16_shuffle(a, a, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13)

static inline void mix(v128_t q[WIDTH], const v128_t *key) {
    v128_t next[WIDTH], sum[WIDTH];
    for (int k = 0; k < WIDTH; k++) {
        next[k] = SHIFTED_NEXT(q[k]);
        sum[k] = XOR(SHIFTED(q[k]), next[k]);
    }
    for (int k = 0; k < WIDTH; k++) {
        v128_t doubled = k == 0 ? sum[7] : k == 1 || k == 3 || k == 4 ? XOR(sum[k - 1], sum[7]) : sum[k - 1];
        q[k] = XOR(XOR(doubled, next[k]), XOR(OPPOSITE(sum[k]), key[k]));
    }
}

static void slice_keys(v128_t keys[][WIDTH], const AES_KEY *key) {
    for (int round = 0; round <= key->rounds; round++) {
        v128_t words = wasm_v128_load((const uint8_t *)key->rd_key + BLOCK * round);
        if (round > 0) words = XOR(words, wasm_i8x16_splat(0x63));
        for (int k = 0; k < WIDTH; k++) {
            v128_t bit = wasm_i8x16_splat((int8_t)(1 << k));
            keys[round][k] = wasm_i8x16_eq(AND(words, bit), bit);
        }
    }
}

static void encrypt_eight(v128_t q[WIDTH], v128_t keys[][WIDTH], int rounds) {
    transpose(q);
    for (int k = 0; k < WIDTH; k++) q[k] = XOR(q[k], keys[0][k]);
    for (int round = 1; round < rounds; round++) {
        substitute(q);
        mix(q, keys[round]);
    }
    substitute(q);
    for (int k = 0; k < WIDTH; k++) q[k] = XOR(SHIFTED(q[k]), keys[rounds][k]);
    transpose(q);
}

void AES_ctr32_encrypt(const unsigned char *in, unsigned char *out, size_t blocks, const AES_KEY *key, const unsigned char first[BLOCK]) {
    v128_t keys[ROUNDS_MOST + 1][WIDTH], start = wasm_v128_load(first);
    uint32_t counter = __builtin_bswap32((uint32_t)wasm_i32x4_extract_lane(start, 3));
    slice_keys(keys, key);
    while (blocks > 0) {
        v128_t q[WIDTH];
        size_t count = blocks < WIDTH ? blocks : WIDTH;
        for (uint32_t i = 0; i < WIDTH; i++) q[i] = wasm_i32x4_replace_lane(start, 3, (int32_t)__builtin_bswap32(counter + i));
        encrypt_eight(q, keys, key->rounds);
        for (size_t i = 0; i < count; i++, in += BLOCK, out += BLOCK) wasm_v128_store(out, XOR(q[i], wasm_v128_load(in)));
        counter += (uint32_t)count;
        blocks -= count;
    }
    OPENSSL_cleanse(keys, sizeof keys);
}

/* --- GHASH --- */

/* The lower half of a product of polynomials: every fourth bit at a time, so that no sum of them reaches the next. */
static inline uint64_t product(uint64_t a, uint64_t b) {
    const uint64_t m0 = 0x1111111111111111, m1 = m0 << 1, m2 = m0 << 2, m3 = m0 << 3;
    uint64_t a0 = a & m0, a1 = a & m1, a2 = a & m2, a3 = a & m3, b0 = b & m0, b1 = b & m1, b2 = b & m2, b3 = b & m3;
    return (((a0 * b0) ^ (a1 * b3) ^ (a2 * b2) ^ (a3 * b1)) & m0) | (((a0 * b1) ^ (a1 * b0) ^ (a2 * b3) ^ (a3 * b2)) & m1) |
           (((a0 * b2) ^ (a1 * b1) ^ (a2 * b0) ^ (a3 * b3)) & m2) | (((a0 * b3) ^ (a1 * b2) ^ (a2 * b1) ^ (a3 * b0)) & m3);
}

static inline uint64_t mirrored(uint64_t a) {
    a = ((a & 0x5555555555555555) << 1) | ((a >> 1) & 0x5555555555555555);
    a = ((a & 0x3333333333333333) << 2) | ((a >> 2) & 0x3333333333333333);
    a = ((a & 0x0f0f0f0f0f0f0f0f) << 4) | ((a >> 4) & 0x0f0f0f0f0f0f0f0f);
    return __builtin_bswap64(a);
}

/* OpenSSL's table holds the key itself at 8; the rest of it, made for reading by what is hashed, is left alone. */
void gcm_ghash_4bit(uint64_t hash[2], const block_t table[16], const uint8_t *bytes, size_t length) {
    uint64_t h1 = table[8].hi, h0 = table[8].lo, h2 = h1 ^ h0, h1m = mirrored(h1), h0m = mirrored(h0), h2m = h1m ^ h0m;
    uint64_t y1 = __builtin_bswap64(hash[0]), y0 = __builtin_bswap64(hash[1]);
    for (; length >= BLOCK; length -= BLOCK, bytes += BLOCK) {
        uint64_t word[2];
        memcpy(word, bytes, BLOCK);
        y1 ^= __builtin_bswap64(word[0]);
        y0 ^= __builtin_bswap64(word[1]);
        uint64_t y1m = mirrored(y1), y0m = mirrored(y0);
        uint64_t low = product(y0, h0), high = product(y1, h1), middle = product(y0 ^ y1, h2) ^ low ^ high;
        uint64_t low_up = product(y0m, h0m), high_up = product(y1m, h1m), middle_up = product(y0m ^ y1m, h2m) ^ low_up ^ high_up;
        /* The product, a bit to the left, as the field's bits run the other way. */
        uint64_t v0 = low, v1 = (mirrored(low_up) >> 1) ^ middle, v2 = high ^ (mirrored(middle_up) >> 1), v3 = mirrored(high_up) >> 1;
        v3 = v3 << 1 | v2 >> 63;
        v2 = v2 << 1 | v1 >> 63;
        v1 = v1 << 1 | v0 >> 63;
        v0 <<= 1;
        v2 ^= v0 ^ v0 >> 1 ^ v0 >> 2 ^ v0 >> 7;
        v1 ^= v0 << 63 ^ v0 << 62 ^ v0 << 57;
        v3 ^= v1 ^ v1 >> 1 ^ v1 >> 2 ^ v1 >> 7;
        v2 ^= v1 << 63 ^ v1 << 62 ^ v1 << 57;
        y0 = v2;
        y1 = v3;
    }
    hash[0] = __builtin_bswap64(y1);
    hash[1] = __builtin_bswap64(y0);
}

void gcm_gmult_4bit(uint64_t hash[2], const block_t table[16]) {
    const uint8_t none[BLOCK] = {0};
    gcm_ghash_4bit(hash, table, none, BLOCK);
}
