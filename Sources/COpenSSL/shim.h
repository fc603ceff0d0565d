/* What VaultCrypto calls of libcrypto (OpenSSL 3.0), and the shims for what Swift cannot call. */
#ifndef VAULTTOOL_COPENSSL_SHIM_H
#define VAULTTOOL_COPENSSL_SHIM_H
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/rand.h>

/* One step of HKDF (RFC 5869), or both: `mode` is an EVP_KDF_HKDF_MODE_ value. An array of OSSL_PARAM keeps
   pointers to what it names, so it is built here, where those live until the call ends; built in Swift they
   may not. A null salt or info stands for none. Returns 1, or 0 when libcrypto refused. */
static inline int vt_hkdf(const char *digest, int mode, const unsigned char *key, size_t key_count,
                          const unsigned char *salt, size_t salt_count, const unsigned char *info,
                          size_t info_count, unsigned char *output, size_t output_count) {
  OSSL_PARAM parameters[6];
  OSSL_PARAM *next = parameters;
  *next++ = OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, (char *)digest, 0);
  *next++ = OSSL_PARAM_construct_int(OSSL_KDF_PARAM_MODE, &mode);
  *next++ = OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, (void *)key, key_count);
  if (salt != NULL)
    *next++ = OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SALT, (void *)salt, salt_count);
  if (info != NULL)
    *next++ = OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, (void *)info, info_count);
  *next = OSSL_PARAM_construct_end();
  EVP_KDF *kdf = EVP_KDF_fetch(NULL, "HKDF", NULL);
  EVP_KDF_CTX *context = kdf != NULL ? EVP_KDF_CTX_new(kdf) : NULL;
  int done = context != NULL && EVP_KDF_derive(context, output, output_count, parameters) == 1;
  EVP_KDF_CTX_free(context);
  EVP_KDF_free(kdf);
  return done;
}
#endif
