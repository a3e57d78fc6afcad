# arguments.bash - sourced by record.sh, atomrace.sh and control.sh: $scale is in percent, $work the folder.

# The arguments that make the native program take 0.2 to 1 s.
arguments_of() {
    case $1 in
    lu) awk -v scale="$scale" 'BEGIN { printf "%d 16 4\n", 1024 * (scale / 100) ^ (1 / 3) }' ;;
    radix) echo $((8000000 * scale / 100)) 8 4 ;;
    bank) echo $((3000000 * scale / 100)) 4096 64 4 ;;
    prodcons) echo $((500000 * scale / 100)) 100 32 4 ;;
    pbzip2) echo -k -c -q -p4 "$work/input" ;;
    esac
}
