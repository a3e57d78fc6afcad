# building.bash - sourced by record.sh and atomrace.sh: how the benchmark programs are built.  The script
# has c_of and cxx_of, which give the compilers of a way; $work is the folder, $scale in percent.

# Warnings are off: they are those of other people's code, which is of 1998's C++.
make_pbzip2() { # WAY
    local objects=() file object
    for file in "$work"/bzip2/{blocksort,huffman,crctable,randtable,compress,decompress,bzlib}.c \
        "$work"/pbzip2/{pbzip2,BZ2StreamScanner,ErrorContext}.cpp; do
        object=$work/bin/$1-${file##*/}.o
        objects+=("$object")
        case $file in
        *.c) $(c_of "$1") -O2 -g -w -c "$file" -o "$object" || return ;;
        *) $(cxx_of "$1") -std=gnu++98 -O2 -g -w -pthread -D_LARGEFILE64_SOURCE -D_FILE_OFFSET_BITS=64 \
            -DUSE_STACKSIZE_CUSTOMIZATION -I"$work/bzip2" -c "$file" -o "$object" || return ;;
        esac
    done
    $(cxx_of "$1") -O2 -pthread "${objects[@]}" -o "$work/bin/pbzip2.$1"
}
make_program() { # PROGRAM WAY
    case $1 in
    pbzip2) make_pbzip2 "$2" ;;
    *) $(c_of "$2") -O2 -g -pthread "bench/programs/$1.c" -o "$work/bin/$1.$2" -lm ;;
    esac
}
# Text of made-up words: the same on every machine.
make_input() { # BYTES
    awk -v bytes="$1" 'BEGIN {
        state = 1
        for (size = 0; size < bytes; size += length(word) + 1) {
            state = (state * 69069 + 1) % 4294967296
            word = sprintf("%c%d%s", 97 + int(state / 65536) % 26, int(state / 7) % 1000, state % 5 ? "" : "\n")
            printf "%s ", word
        }
    }'
}

# Debian's sources of pbzip2 and libbzip2, and something to compress; without them it is left out.
find_pbzip2() {
    local package source
    case " $programs " in *" pbzip2 "*) ;; *) return 0 ;; esac
    for package in pbzip2 bzip2; do
        if source=$(bash scripts/debian_source.sh $package "$sources"); then
            ln -sfn "$(cd "$source" && pwd)" "$work/$package"
        else
            say "skipping pbzip2"
            programs=${programs//pbzip2/}
            return 0
        fi
    done
    make_input $((4000000 * scale / 100)) >"$work/input"
}
