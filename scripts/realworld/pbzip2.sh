# shellcheck shell=bash disable=SC2034,SC2154,SC2086
# pbzip2 with libbzip2's code: compresses, and decompresses what the native program compressed.
# Compressed files must be equal byte by byte, and so must the input and what comes back.
packages="pbzip2 bzip2"
jobs="compress decompress"

build() {
    make -C bzip2 libbz2.a CC="$CC" CFLAGS="-O2 -g -w -D_FILE_OFFSET_BITS=64"
    $CXX -std=gnu++98 -O2 -g -w -pthread -D_LARGEFILE64_SOURCE -D_FILE_OFFSET_BITS=64 \
        -DUSE_STACKSIZE_CUSTOMIZATION -Ibzip2 pbzip2/pbzip2.cpp pbzip2/BZ2StreamScanner.cpp \
        pbzip2/ErrorContext.cpp bzip2/libbz2.a -o pbzip2/pbzip2
}
job_compress() {
    words "$(scaled 4000000)" >input
    under input.bz2 pbzip2/pbzip2 -k -c -q -p4 input || return
    sha256sum <input.bz2
}
job_decompress() {
    under output pbzip2/pbzip2 -d -k -c -q -p4 "$place/native/input.bz2" || return
    cmp input output && sha256sum <output
}
