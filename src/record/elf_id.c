/*
 * elf_id.c - see modules.h: the build id of an ELF file.
 *
 * Only the program headers and their notes are looked at, each number checked before it is used:
 * the file is whatever stands at that path by now.
 */
#include "record/modules.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_HEADERS 256u
#define MOST_NOTES   4096u

static bool read_at(int fd, void *to, size_t size, uint64_t offset)
{
    return pread(fd, to, size, (off_t)offset) == (ssize_t)size;
}

/* Looks for the note in the bytes of a segment of notes. */
static uint32_t find_note(const unsigned char *bytes, size_t size, unsigned char *id)
{
    size_t at = 0;

    while (size - at >= sizeof(Elf64_Nhdr)) {
        Elf64_Nhdr note;
        size_t name, text;

        memcpy(&note, bytes + at, sizeof note);
        at += sizeof note;
        name = ((size_t)note.n_namesz + 3) & ~(size_t)3;
        text = ((size_t)note.n_descsz + 3) & ~(size_t)3;
        if (name > size - at || text > size - at - name)
            return 0;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
            memcmp(bytes + at, "GNU", 4) == 0 && note.n_descsz <= FW_BUILD_ID_MAX) {
            memcpy(id, bytes + at + name, note.n_descsz);
            return note.n_descsz;
        }
        at += name + text;
    }
    return 0;
}

static uint32_t search_segments(int fd, const Elf64_Ehdr *head, unsigned char *id)
{
    uint32_t size = 0;

    for (unsigned i = 0; i < head->e_phnum && i < MOST_HEADERS && !size; i++) {
        unsigned char notes[MOST_NOTES];
        Elf64_Phdr segment;
        size_t bytes;

        if (!read_at(fd, &segment, sizeof segment, head->e_phoff + i * sizeof segment))
            return 0;
        bytes = segment.p_filesz < MOST_NOTES ? segment.p_filesz : MOST_NOTES;
        if (segment.p_type == PT_NOTE && read_at(fd, notes, bytes, segment.p_offset))
            size = find_note(notes, bytes, id);
    }
    return size;
}

uint32_t fw_elf_build_id(const char *path, unsigned char id[FW_BUILD_ID_MAX])
{
    int fd = path[0] == '/' ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    Elf64_Ehdr head;
    struct stat st;
    uint32_t size = 0;

    if (fd < 0)
        return 0;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && read_at(fd, &head, sizeof head, 0) &&
        memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 && head.e_ident[EI_CLASS] == ELFCLASS64 &&
        head.e_phentsize == sizeof(Elf64_Phdr))
        size = search_segments(fd, &head, id);
    close(fd);
    return size;
}
