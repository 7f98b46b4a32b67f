/* sha256.h - SHA-256 (FIPS 180-4), which content-security policies name scripts by. */
#pragma once

#include <stddef.h>

/* The digest in Base64 (RFC 4648), with its NUL. */
#define SHA256_BASE64_SIZE 45
void sha256_base64(const void *bytes, size_t size, char out[SHA256_BASE64_SIZE]);
