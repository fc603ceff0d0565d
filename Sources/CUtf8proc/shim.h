/* libutf8proc as VaultSealing uses it: Unicode normal forms and categories. */
#ifndef VAULTTOOL_CUTF8PROC_SHIM_H
#define VAULTTOOL_CUTF8PROC_SHIM_H
#include <utf8proc.h>
#endif
