# shellcheck shell=bash disable=SC2034,SC2154
# zstd with four workers: compressed files must be equal byte by byte, and come back as they were.
packages="libzstd"
jobs="compress"

build() {
    make -C libzstd/programs zstd CC="$CC" MOREFLAGS="-O2 -g -w" HAVE_ZLIB=0 HAVE_LZMA=0 HAVE_LZ4=0
}
job_compress() {
    words "$(scaled 8000000)" >input
    under input.zst libzstd/programs/zstd -T4 -9 -B524288 -q -f -c input || return
    libzstd/programs/zstd -d -q -c input.zst | cmp - input && sha256sum <input.zst
}
