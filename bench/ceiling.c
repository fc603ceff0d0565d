/* The quickest that this machine can seal, check and open a folder, for bench/run to compare with.
 *
 *   ceiling pack SRC BOX THREADS     read each file, compress it (zstd, level 3), seal it with
 *                                    AES-256-GCM, write it under a temporary name and rename it;
 *                                    at the end one syncfs
 *   ceiling check BOX THREADS        read, open and inflate each sealed file
 *   ceiling unpack BOX OUT THREADS   the same, and write the content
 *
 * It derives no key, keeps no names and no index, and handles a file as a whole, in memory. A file
 * whose first 64 KiB do not shrink by 3 % stays as it is.
 *
 * Sealed: nonce 12 | compressed or not 1 | length 8 | ciphertext | tag 16.
 * Build: cc -O2 -pthread ceiling.c -o ceiling -lcrypto -lzstd
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <openssl/evp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

enum { HEAD = 12 + 1 + 8, TAG = 16, PROBE = 64 << 10, LEVEL = 3, FOLDERS = 256 };

typedef struct { unsigned char *bytes; size_t room; } Buffer;
typedef struct {
    Buffer in, mid, out;
    ZSTD_CCtx *pack;
    ZSTD_DCtx *inflate;
    EVP_CIPHER_CTX *gcm;
    size_t packed; /* what zstd last returned */
} Worker;

static const unsigned char key[32] = "what is sealed here is no secret";
static char **paths;
static size_t path_count;
static atomic_size_t next_path;
static enum { PACK, CHECK, UNPACK } job;
static const char *target;
static EVP_CIPHER *cipher;

static void stop(const char *what) {
    fprintf(stderr, "ceiling: %s: %s\n", what, errno ? strerror(errno) : "failed");
    exit(1);
}

static void need(Buffer *b, size_t count) {
    if (b->room >= count) return;
    free(b->bytes);
    b->bytes = malloc(b->room = count + count / 2);
    if (!b->bytes) stop("memory");
}

static int visit(const char *path, const struct stat *info, int kind, struct FTW *where) {
    (void)where;
    if (kind != FTW_F || !S_ISREG(info->st_mode)) return 0;
    if (path_count % 1024 == 0 && !(paths = realloc(paths, (path_count + 1024) * sizeof *paths)))
        stop("memory");
    if (!(paths[path_count++] = strdup(path))) stop("memory");
    return 0;
}

static size_t read_file(const char *path, Buffer *into) {
    struct stat info;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &info)) stop(path);
    size_t count = (size_t)info.st_size;
    need(into, count + 1);
    for (size_t done = 0; done < count;) {
        ssize_t n = read(fd, into->bytes + done, count - done);
        if (n <= 0) stop(path);
        done += (size_t)n;
    }
    close(fd);
    return count;
}

static void write_file(size_t number, const unsigned char *bytes, size_t count) {
    char name[4096], part[4104];
    snprintf(name, sizeof name, "%s/%02zx/%zu", target, number % FOLDERS, number);
    snprintf(part, sizeof part, "%s.part", name);
    int fd = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) stop(part);
    for (size_t done = 0; done < count;) {
        ssize_t n = write(fd, bytes + done, count - done);
        if (n < 0) stop(part);
        done += (size_t)n;
    }
    if (close(fd) || rename(part, name)) stop(name);
}

static int shrinks(Worker *w, size_t count) {
    size_t probe = count < PROBE ? count : PROBE;
    w->packed = ZSTD_compressCCtx(w->pack, w->mid.bytes, w->mid.room, w->in.bytes, probe, LEVEL);
    return !ZSTD_isError(w->packed) && w->packed < probe - probe / 32;
}

static void seal(Worker *w, size_t number) {
    size_t count = read_file(paths[number], &w->in), body_count = count;
    unsigned char *body = w->in.bytes, *out;
    int n = 0, rest = 0;
    need(&w->mid, ZSTD_compressBound(count) + PROBE);
    need(&w->out, HEAD + ZSTD_compressBound(count) + TAG);
    out = w->out.bytes;
    memset(out, 0, HEAD);
    memcpy(out, &number, sizeof number); /* a nonce of its own for each file */
    if (shrinks(w, count)) {
        if (count > PROBE) /* else the probe was all of it */
            w->packed = ZSTD_compressCCtx(w->pack, w->mid.bytes, w->mid.room, body, count, LEVEL);
        body_count = w->packed;
        if (ZSTD_isError(body_count)) stop("zstd");
        body = w->mid.bytes;
        out[12] = 1;
    }
    memcpy(out + 13, &count, sizeof count);
    if (EVP_EncryptInit_ex2(w->gcm, NULL, NULL, out, NULL) != 1 ||
        EVP_EncryptUpdate(w->gcm, NULL, &n, out + 12, HEAD - 12) != 1 ||
        EVP_EncryptUpdate(w->gcm, out + HEAD, &n, body, (int)body_count) != 1 ||
        EVP_EncryptFinal_ex(w->gcm, out + HEAD + n, &rest) != 1 ||
        EVP_CIPHER_CTX_ctrl(w->gcm, EVP_CTRL_AEAD_GET_TAG, TAG, out + HEAD + body_count) != 1)
        stop("seal");
    write_file(number, out, HEAD + body_count + TAG);
}

static void open_sealed(Worker *w, size_t number) {
    size_t count = read_file(paths[number], &w->in), content;
    unsigned char *in = w->in.bytes, *body;
    int n = 0, rest = 0;
    if (count < HEAD + TAG) stop("not a sealed file");
    size_t body_count = count - HEAD - TAG;
    need(&w->mid, body_count + 1);
    if (EVP_DecryptInit_ex2(w->gcm, NULL, NULL, in, NULL) != 1 ||
        EVP_DecryptUpdate(w->gcm, NULL, &n, in + 12, HEAD - 12) != 1 ||
        EVP_DecryptUpdate(w->gcm, w->mid.bytes, &n, in + HEAD, (int)body_count) != 1 ||
        EVP_CIPHER_CTX_ctrl(w->gcm, EVP_CTRL_AEAD_SET_TAG, TAG, in + HEAD + body_count) != 1 ||
        EVP_DecryptFinal_ex(w->gcm, w->mid.bytes + n, &rest) != 1)
        stop("not authentic");
    memcpy(&content, in + 13, sizeof content);
    body = w->mid.bytes;
    if (in[12]) {
        need(&w->out, content + 1);
        if (ZSTD_decompressDCtx(w->inflate, w->out.bytes, content, body, body_count) != content)
            stop("zstd");
        body = w->out.bytes;
    }
    if (job == UNPACK) write_file(number, body, content);
}

static void *work(void *unused) {
    (void)unused;
    Worker w = {0};
    w.pack = ZSTD_createCCtx();
    w.inflate = ZSTD_createDCtx();
    w.gcm = EVP_CIPHER_CTX_new();
    if (!w.pack || !w.inflate || EVP_CipherInit_ex2(w.gcm, cipher, key, NULL, job == PACK, NULL) != 1)
        stop("set-up");
    for (size_t i; (i = atomic_fetch_add(&next_path, 1)) < path_count;)
        job == PACK ? seal(&w, i) : open_sealed(&w, i);
    return NULL;
}

int main(int argc, char **argv) {
    static const char *const names[] = {"pack", "check", "unpack"};
    pthread_t threads[64];
    int thread_count = argc > 3 ? atoi(argv[argc - 1]) : 0, known = 0;
    for (int i = 0; i < 3; i++)
        if (argc > 1 && !strcmp(argv[1], names[i])) { job = i; known = 1; }
    if (!known || argc != (job == CHECK ? 4 : 5) || thread_count < 1 || thread_count > 64) {
        fprintf(stderr, "usage: ceiling pack SRC BOX THREADS | check BOX THREADS | unpack BOX OUT THREADS\n");
        return 2;
    }
    if (!(cipher = EVP_CIPHER_fetch(NULL, "AES-256-GCM", NULL))) stop("AES-256-GCM");
    if (nftw(argv[2], visit, 64, FTW_PHYS)) stop(argv[2]);
    if (job != CHECK) {
        char folder[4096];
        target = argv[3];
        if (mkdir(target, 0700)) stop(target);
        for (int i = 0; i < FOLDERS; i++) {
            snprintf(folder, sizeof folder, "%s/%02x", target, i);
            if (mkdir(folder, 0700)) stop(folder);
        }
    }
    for (int i = 0; i < thread_count; i++)
        if (pthread_create(&threads[i], NULL, work, NULL)) stop("thread");
    for (int i = 0; i < thread_count; i++) pthread_join(threads[i], NULL);
    if (job == PACK) {
        int fd = open(target, O_RDONLY);
        if (fd < 0 || syncfs(fd)) stop("syncfs");
    }
    return 0;
}
