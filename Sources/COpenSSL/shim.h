/* What VaultCrypto calls of libcrypto (OpenSSL 3.0), and the shims for what Swift cannot call. */
#ifndef VAULTTOOL_COPENSSL_SHIM_H
#define VAULTTOOL_COPENSSL_SHIM_H
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/rand.h>
#endif
