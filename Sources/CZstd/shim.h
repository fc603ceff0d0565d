/* libzstd as VaultSealing uses it. */
#ifndef VAULTTOOL_CZSTD_SHIM_H
#define VAULTTOOL_CZSTD_SHIM_H
#include <zstd.h>
#include <zstd_errors.h>
#endif
