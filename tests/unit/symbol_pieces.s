# symbol_pieces.s - what test_symbol looks into: code that belongs to no line, and pieces of a variable
# that the debug information knows no place of, as clang leaves them.  Never run.
        .text
        .globl  main, between, behind
        .type   main, @function
        .type   between, @function
        .type   behind, @function
.Lbegin:
main:   nop             # of line 7
between:
        nop             # of no line
        nop
behind: ret             # of line 9
.Lend:  .size   main, 1
        .size   between, 2
        .size   behind, 1

        .local  total.0, total.b, totals.0
        .comm   total.0, 4, 4
        .comm   total.b, 1, 1
        .comm   totals.0, 8, 8

        .section .debug_abbrev, "", @progbits
        .uleb128 1, 0x11                # compile unit, without children
        .byte   0
        .uleb128 0x03, 0x08, 0x10, 0x17 # name, line table
        .uleb128 0x11, 0x01, 0x12, 0x07 # from, for so many bytes
        .uleb128 0, 0
        .byte   0

        .section .debug_info, "", @progbits
        .long   .Linfo_end - .Linfo
.Linfo: .short  4
        .long   .debug_abbrev
        .byte   8
        .uleb128 1
        .string "pieces.c"
        .long   .debug_line
        .quad   .Lbegin, .Lend - .Lbegin
.Linfo_end:

        .section .debug_line, "", @progbits
        .long   .Lline_end - .Lline
.Lline: .short  2
        .long   .Lrows - .Lfirst
.Lfirst:
        .byte   1, 1, -5, 14, 10        # of which only the last one counts here
        .byte   0, 1, 1, 1, 1, 0, 0, 0, 1
        .byte   0
        .string "pieces.c"
        .uleb128 0, 0, 0
        .byte   0
.Lrows: .byte   0, 9, 2                 # the address
        .quad   .Lbegin
        .byte   3, 6, 1                 # line 1 + 6, a row
        .byte   2, 1, 3, 0x79, 1        # a byte further, line 7 - 7, a row
        .byte   2, 2, 3, 9, 1           # two further, line 9, a row
        .byte   2, 1, 0, 1, 1           # the end
.Lline_end:

        .section .note.GNU-stack, "", @progbits
