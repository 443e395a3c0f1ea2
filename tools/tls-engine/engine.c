/*
 * OpenSSL's TLS client as functions of bytes: what came from the network is fed in, what has to go there is drained.
 * No sockets, no files, no threads. Pointers and lengths are the caller's to keep in order.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#define API(name) __attribute__((export_name(#name)))

enum { DONE = 1, CLOSED = 0, WANTS = -1, FAILED = -2 };

API(memory_take) void *memory_take(size_t length) { return malloc(length); }
API(memory_give) void memory_give(void *at) { free(at); }
API(version) const char *version(void) { return OpenSSL_version(OPENSSL_VERSION); }

/* The reason of the oldest error and its whole text, each with a final zero; the rest is forgotten. Answers the bytes written. */
API(error_take) int error_take(char *into, int length) {
    unsigned long code = ERR_get_error();
    const char *reason = code == 0 ? NULL : ERR_reason_error_string(code);
    int used = 0;
    if (code != 0 && length > 1) {
        size_t size = reason == NULL ? 0 : strlen(reason);
        if ((int)size > length / 2) size = length / 2;
        if (size > 0) memcpy(into, reason, size);
        into[size] = 0;
        used = (int)size + 1;
        ERR_error_string_n(code, into + used, (size_t)(length - used));
        used += (int)strlen(into + used) + 1;
    }
    ERR_clear_error();
    return used;
}

/* --- what connections share --- */

/* What the chain in hand was found wrong with: the last fault of the chain itself, and one of the name alone. */
static int chain_fault, name_fault;

static int note(int fine, X509_STORE_CTX *store) {
    int error = X509_STORE_CTX_get_error(store);
    if (fine) return 1;
    if (error == X509_V_ERR_HOSTNAME_MISMATCH || error == X509_V_ERR_IP_ADDRESS_MISMATCH) name_fault = error;
    else chain_fault = error == X509_V_OK ? X509_V_ERR_UNSPECIFIED : error;
    /* Going on finds what Node tells: the last fault. Nothing is forgiven by it. */
    return 1;
}
/*
 * Whether a certificate asks for no more memory than its size lets expect. OpenSSL writes out each name of a revocation list that is
 * told relative to the issuer, with the issuer's whole name before it (CVE-2026-35189): a few of them serve every use there is.
 */
static int is_modest(X509 *certificate) {
    enum { MOST = 4 };
    CRL_DIST_POINTS *points = X509_get_ext_d2i(certificate, NID_crl_distribution_points, NULL, NULL);
    int count = 0;
    for (int i = 0; i < sk_DIST_POINT_num(points); i++) {
        DIST_POINT *point = sk_DIST_POINT_value(points, i);
        if (point->distpoint != NULL && point->distpoint->type == 1) count++;
    }
    CRL_DIST_POINTS_free(points);
    return count <= MOST;
}
static int is_chain_modest(X509_STORE_CTX *store) {
    STACK_OF(X509) *chain = X509_STORE_CTX_get0_untrusted(store);
    for (int i = 0; i < sk_X509_num(chain); i++)
        if (!is_modest(sk_X509_value(chain, i))) return 0;
    return is_modest(X509_STORE_CTX_get0_cert(store));
}
static int judge(X509_STORE_CTX *store, void *of) {
    (void)of;
    if (!is_chain_modest(store)) {
        X509_STORE_CTX_set_error(store, X509_V_ERR_INVALID_EXTENSION);
        return 0;
    }
    chain_fault = name_fault = X509_V_OK;
    X509_STORE_CTX_set_verify_cb(store, note);
    int done = X509_verify_cert(store);
    int fault = chain_fault != X509_V_OK ? chain_fault : name_fault;
    if (fault == X509_V_OK && (done <= 0 || X509_STORE_CTX_get_error(store) != X509_V_OK)) {
        fault = X509_STORE_CTX_get_error(store);
        if (fault == X509_V_OK) fault = X509_V_ERR_UNSPECIFIED;
    }
    X509_STORE_CTX_set_error(store, fault);
    return fault == X509_V_OK;
}

API(context_new) SSL_CTX *context_new(int least, int most) {
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    if (context == NULL) return NULL;
    SSL_CTX_set_security_level(context, 2);
    SSL_CTX_set_cert_verify_callback(context, judge, NULL);
    SSL_CTX_set_options(context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION);
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS | SSL_MODE_AUTO_RETRY);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    if (SSL_CTX_set_min_proto_version(context, least) == 1 && SSL_CTX_set_max_proto_version(context, most) == 1) return context;
    SSL_CTX_free(context);
    return NULL;
}
API(context_free) void context_free(SSL_CTX *context) { SSL_CTX_free(context); }
API(context_ciphers) int context_ciphers(SSL_CTX *context, const char *list) { return SSL_CTX_set_cipher_list(context, list); }
API(context_suites) int context_suites(SSL_CTX *context, const char *list) { return SSL_CTX_set_ciphersuites(context, list); }
API(context_groups) int context_groups(SSL_CTX *context, const char *list) { return SSL_CTX_set1_groups_list(context, list); }
API(context_signatures) int context_signatures(SSL_CTX *context, const char *list) { return SSL_CTX_set1_sigalgs_list(context, list); }
API(context_partial) int context_partial(SSL_CTX *context) { return X509_STORE_set_flags(SSL_CTX_get_cert_store(context), X509_V_FLAG_PARTIAL_CHAIN); }
/* Trusts what another context trusts. */
API(context_trust) void context_trust(SSL_CTX *context, SSL_CTX *other) { SSL_CTX_set1_cert_store(context, SSL_CTX_get_cert_store(other)); }

API(context_root) int context_root(SSL_CTX *context, const unsigned char *der, int length) {
    X509 *root = d2i_X509(NULL, &der, length);
    int done = root != NULL && X509_STORE_add_cert(SSL_CTX_get_cert_store(context), root);
    X509_free(root);
    return done;
}
/* Every certificate of a text is trusted; answers how many, or -1 where one does not parse. */
API(context_roots) int context_roots(SSL_CTX *context, const char *pem, int length) {
    BIO *text = BIO_new_mem_buf(pem, length);
    int count = 0;
    X509 *root;
    ERR_clear_error();
    while ((root = PEM_read_bio_X509_AUX(text, NULL, NULL, "")) != NULL) {
        if (X509_STORE_add_cert(SSL_CTX_get_cert_store(context), root)) count++;
        X509_free(root);
    }
    BIO_free(text);
    if (ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE && count > 0) ERR_clear_error();
    return ERR_peek_error() == 0 ? count : -1;
}
API(context_revoked) int context_revoked(SSL_CTX *context, const char *pem, int length) {
    BIO *text = BIO_new_mem_buf(pem, length);
    X509_CRL *list = PEM_read_bio_X509_CRL(text, NULL, NULL, "");
    X509_STORE *store = SSL_CTX_get_cert_store(context);
    int done = list != NULL && X509_STORE_add_crl(store, list) && X509_STORE_set_flags(store, X509_V_FLAG_CRL_CHECK | X509_V_FLAG_CRL_CHECK_ALL);
    X509_CRL_free(list);
    BIO_free(text);
    return done;
}

static int passphrase(char *into, int size, int writing, void *of) {
    int length = of == NULL ? -1 : (int)strlen(of);
    (void)writing;
    if (length < 0 || length > size) return -1;
    memcpy(into, of, (size_t)length);
    return length;
}
/* The client's own certificate with those above it, and its key. */
API(context_identity) int context_identity(SSL_CTX *context, const char *pem, int length, const char *key_pem, int key_length, char *phrase) {
    BIO *text = BIO_new_mem_buf(pem, length), *key_text = BIO_new_mem_buf(key_pem, key_length);
    X509 *own = PEM_read_bio_X509_AUX(text, NULL, NULL, ""), *above;
    EVP_PKEY *key = PEM_read_bio_PrivateKey(key_text, NULL, passphrase, phrase);
    int done = own != NULL && key != NULL && SSL_CTX_use_certificate(context, own) == 1 && SSL_CTX_use_PrivateKey(context, key) == 1 &&
               SSL_CTX_check_private_key(context) == 1;
    while (done && (above = PEM_read_bio_X509(text, NULL, NULL, "")) != NULL) {
        done = SSL_CTX_add1_chain_cert(context, above) == 1;
        X509_free(above);
    }
    if (done) ERR_clear_error();
    X509_free(own);
    EVP_PKEY_free(key);
    BIO_free(text);
    BIO_free(key_text);
    return done;
}

/* --- connections --- */

/* `peer` is the name or address that the certificate has to be for; NULL where the caller checks it. */
API(connection_new) SSL *connection_new(SSL_CTX *context, const char *server_name, const char *peer, int verify, const unsigned char *alpn, int alpn_length) {
    SSL *connection = SSL_new(context);
    BIO *in = BIO_new(BIO_s_mem()), *out = BIO_new(BIO_s_mem());
    if (connection == NULL || in == NULL || out == NULL) return NULL;
    BIO_set_mem_eof_return(in, -1);
    BIO_set_mem_eof_return(out, -1);
    SSL_set_bio(connection, in, out);
    SSL_set_connect_state(connection);
    SSL_set_verify(connection, verify ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, NULL);
    int done = server_name == NULL || SSL_set_tlsext_host_name(connection, server_name) == 1;
    if (done && alpn_length > 0) done = SSL_set_alpn_protos(connection, alpn, (unsigned)alpn_length) == 0;
    if (done && peer != NULL) {
        X509_VERIFY_PARAM *asked = SSL_get0_param(connection);
        done = X509_VERIFY_PARAM_set1_ip_asc(asked, peer) == 1;
        if (!done) {
            ERR_clear_error();
            X509_VERIFY_PARAM_set_hostflags(asked, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
            done = X509_VERIFY_PARAM_set1_host(asked, peer, 0) == 1;
        }
    }
    if (done) return connection;
    SSL_free(connection);
    return NULL;
}
API(connection_free) void connection_free(SSL *connection) { SSL_free(connection); }

static int state(SSL *connection, int done) {
    switch (SSL_get_error(connection, done)) {
    case SSL_ERROR_NONE: return DONE;
    case SSL_ERROR_ZERO_RETURN: return CLOSED;
    case SSL_ERROR_WANT_READ:
    case SSL_ERROR_WANT_WRITE: return WANTS;
    default: return FAILED;
    }
}
API(connection_feed) int connection_feed(SSL *connection, const void *bytes, int length) { return BIO_write(SSL_get_rbio(connection), bytes, length); }
API(connection_waiting) int connection_waiting(SSL *connection) { return (int)BIO_ctrl_pending(SSL_get_wbio(connection)); }
API(connection_drain) int connection_drain(SSL *connection, void *into, int length) { return BIO_read(SSL_get_wbio(connection), into, length); }
API(connection_handshake) int connection_handshake(SSL *connection) {
    ERR_clear_error();
    return state(connection, SSL_do_handshake(connection));
}
/* The bytes read, or how it stands: closed 0, wants -1, failed -2. */
API(connection_read) int connection_read(SSL *connection, void *into, int length) {
    ERR_clear_error();
    int count = SSL_read(connection, into, length);
    return count > 0 ? count : state(connection, count);
}
API(connection_write) int connection_write(SSL *connection, const void *bytes, int length) {
    ERR_clear_error();
    int count = SSL_write(connection, bytes, length);
    return count > 0 ? count : state(connection, count);
}
API(connection_end) void connection_end(SSL *connection) {
    ERR_clear_error();
    SSL_shutdown(connection);
    ERR_clear_error();
}
API(connection_verdict) int connection_verdict(SSL *connection) { return (int)SSL_get_verify_result(connection); }
API(verdict_text) const char *verdict_text(int verdict) { return X509_verify_cert_error_string(verdict); }
API(connection_protocol) const char *connection_protocol(SSL *connection) { return SSL_get_version(connection); }
API(connection_cipher) const char *connection_cipher(SSL *connection) { return SSL_get_cipher_name(connection); }
API(connection_cipher_standard) const char *connection_cipher_standard(SSL *connection) {
    const SSL_CIPHER *cipher = SSL_get_current_cipher(connection);
    return cipher == NULL ? NULL : SSL_CIPHER_standard_name(cipher);
}
API(connection_alpn) int connection_alpn(SSL *connection, char *into, int length) {
    const unsigned char *name;
    unsigned size;
    SSL_get0_alpn_selected(connection, &name, &size);
    if ((int)size > length) return 0;
    if (size > 0) memcpy(into, name, size);
    return (int)size;
}
API(connection_export) int connection_export(SSL *connection, void *into, int length, const char *label, int label_length, const void *context, int context_length, int with) {
    return SSL_export_keying_material(connection, into, (size_t)length, label, (size_t)label_length, context, (size_t)context_length, with);
}
API(connection_fragment) int connection_fragment(SSL *connection, int most) { return (int)SSL_set_max_send_fragment(connection, most); }
/* `tls-unique`: the first Finished of the handshake, ours or theirs. */
API(connection_finished) int connection_finished(SSL *connection, int peer, void *into, int length) {
    return (int)(peer ? SSL_get_peer_finished(connection, into, (size_t)length) : SSL_get_finished(connection, into, (size_t)length));
}

/* --- certificates, told as fields: one byte of key, four of length, the bytes --- */

static void field(BIO *into, char key, const void *bytes, size_t length) {
    unsigned char head[5] = {(unsigned char)key, length & 255, (length >> 8) & 255, (length >> 16) & 255, (length >> 24) & 255};
    BIO_write(into, head, 5);
    if (length > 0) BIO_write(into, bytes, (int)length);
}
static void text_field(BIO *into, char key, const char *text) { field(into, key, text, strlen(text)); }

static void names(BIO *into, char key, X509_NAME *name) {
    for (int i = 0; i < X509_NAME_entry_count(name); i++) {
        X509_NAME_ENTRY *entry = X509_NAME_get_entry(name, i);
        ASN1_OBJECT *object = X509_NAME_ENTRY_get_object(entry);
        char type[128];
        int nid = OBJ_obj2nid(object);
        if (nid != NID_undef) strncpy(type, OBJ_nid2sn(nid), sizeof type - 1), type[sizeof type - 1] = 0;
        else OBJ_obj2txt(type, sizeof type, object, 1);
        unsigned char *value = NULL;
        int length = ASN1_STRING_to_UTF8(&value, X509_NAME_ENTRY_get_data(entry));
        if (length < 0) continue;
        text_field(into, key, type);
        field(into, '=', value, (size_t)length);
        OPENSSL_free(value);
    }
}
static void alternatives(BIO *into, X509 *certificate) {
    GENERAL_NAMES *all = X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL);
    for (int i = 0; i < sk_GENERAL_NAME_num(all); i++) {
        const GENERAL_NAME *name = sk_GENERAL_NAME_value(all, i);
        char key = name->type == GEN_DNS ? 'D' : name->type == GEN_IPADD ? 'A' : name->type == GEN_EMAIL ? 'E' : name->type == GEN_URI ? 'U' : 0;
        if (key != 0) field(into, key, ASN1_STRING_get0_data(name->d.ia5), (size_t)ASN1_STRING_length(name->d.ia5));
    }
    GENERAL_NAMES_free(all);
}
static void time_field(BIO *into, char key, const ASN1_TIME *time) {
    BIO *text = BIO_new(BIO_s_mem());
    char *at;
    ASN1_TIME_print(text, time);
    long length = BIO_get_mem_data(text, &at);
    field(into, key, at, (size_t)length);
    BIO_free(text);
}
static void uses(BIO *into, X509 *certificate) {
    EXTENDED_KEY_USAGE *all = X509_get_ext_d2i(certificate, NID_ext_key_usage, NULL, NULL);
    char name[128];
    for (int i = 0; i < sk_ASN1_OBJECT_num(all); i++)
        if (OBJ_obj2txt(name, sizeof name, sk_ASN1_OBJECT_value(all, i), 1) > 0) text_field(into, 'X', name);
    EXTENDED_KEY_USAGE_free(all);
}
static void number(BIO *into, char key, const EVP_PKEY *of, const char *name) {
    BIGNUM *value = NULL;
    char *hex = EVP_PKEY_get_bn_param(of, name, &value) ? BN_bn2hex(value) : NULL;
    if (hex != NULL) text_field(into, key, hex);
    OPENSSL_free(hex);
    BN_free(value);
}
/* RSA with its numbers and whole; of a curve the point and the curve's names. */
static void public_key(BIO *into, EVP_PKEY *of) {
    unsigned char *bytes = NULL;
    int length = 0;
    if (of == NULL) return;
    if (EVP_PKEY_is_a(of, "RSA")) {
        number(into, 'M', of, OSSL_PKEY_PARAM_RSA_N);
        number(into, 'P', of, OSSL_PKEY_PARAM_RSA_E);
        length = i2d_PUBKEY(of, &bytes);
    } else if (EVP_PKEY_is_a(of, "EC")) {
        char group[80];
        length = (int)EVP_PKEY_get1_encoded_public_key(of, &bytes);
        if (EVP_PKEY_get_group_name(of, group, sizeof group, NULL)) {
            const char *standard = EC_curve_nid2nist(OBJ_txt2nid(group));
            text_field(into, 'G', group);
            if (standard != NULL) text_field(into, 'H', standard);
        }
    }
    if (length > 0) field(into, 'K', bytes, (size_t)length);
    OPENSSL_free(bytes);
}
/* Where more is told about a certificate: the way, then the place. */
static void accesses(BIO *into, X509 *certificate) {
    AUTHORITY_INFO_ACCESS *all = X509_get_ext_d2i(certificate, NID_info_access, NULL, NULL);
    for (int i = 0; i < sk_ACCESS_DESCRIPTION_num(all); i++) {
        const ACCESS_DESCRIPTION *one = sk_ACCESS_DESCRIPTION_value(all, i);
        char name[128];
        if (one->location->type != GEN_URI || OBJ_obj2txt(name, sizeof name, one->method, 0) <= 0) continue;
        text_field(into, 'W', name);
        field(into, '@', ASN1_STRING_get0_data(one->location->d.ia5), (size_t)ASN1_STRING_length(one->location->d.ia5));
    }
    AUTHORITY_INFO_ACCESS_free(all);
}
/* A certificate of the peer's chain, as verified where it was: 0 is the peer's own. Answers how many bytes `at` points to. */
API(connection_certificate) int connection_certificate(SSL *connection, int index, void **at) {
    STACK_OF(X509) *chain = SSL_get0_verified_chain(connection);
    if (chain == NULL) chain = SSL_get_peer_cert_chain(connection);
    X509 *certificate = index < sk_X509_num(chain) ? sk_X509_value(chain, index) : NULL;
    if (certificate == NULL) return 0;
    BIO *into = BIO_new(BIO_s_mem());
    if (into == NULL) return 0;
    unsigned char *der = NULL;
    int length = i2d_X509(certificate, &der);
    field(into, 'R', der, length > 0 ? (size_t)length : 0);
    OPENSSL_free(der);
    names(into, 'S', X509_get_subject_name(certificate));
    names(into, 'I', X509_get_issuer_name(certificate));
    alternatives(into, certificate);
    time_field(into, 'F', X509_get0_notBefore(certificate));
    time_field(into, 'T', X509_get0_notAfter(certificate));
    uses(into, certificate);
    BIGNUM *serial = ASN1_INTEGER_to_BN(X509_get0_serialNumber(certificate), NULL);
    char *hex = serial == NULL ? NULL : BN_bn2hex(serial);
    if (hex != NULL) text_field(into, 'N', hex);
    OPENSSL_free(hex);
    BN_free(serial);
    EVP_PKEY *key = X509_get0_pubkey(certificate);
    char bits[16];
    BIO_snprintf(bits, sizeof bits, "%d", key == NULL ? 0 : EVP_PKEY_get_bits(key));
    text_field(into, 'B', bits);
    public_key(into, key);
    accesses(into, certificate);
    if (is_modest(certificate) && X509_check_ca(certificate) == 1) field(into, 'C', "", 0);
    const char *algorithms[] = {"SHA1", "SHA256", "SHA512"};
    for (int i = 0; i < 3; i++) {
        unsigned char digest[EVP_MAX_MD_SIZE];
        unsigned size;
        EVP_MD *algorithm = EVP_MD_fetch(NULL, algorithms[i], NULL);
        if (algorithm != NULL && X509_digest(certificate, algorithm, digest, &size)) field(into, (char)('1' + i), digest, size);
        EVP_MD_free(algorithm);
    }
    BUF_MEM *made;
    BIO_get_mem_ptr(into, &made);
    int total = (int)made->length;
    *at = malloc(made->length);
    if (*at != NULL) memcpy(*at, made->data, made->length);
    BIO_free(into);
    return *at == NULL ? 0 : total;
}
