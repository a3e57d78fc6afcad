# make -f plain.mk SOURCE=DIR CC=... CXX=...: as many projects have it, nothing but make.
CFLAGS   = -g -O2 -Wall -Wextra -Werror
CXXFLAGS = -g -O2 -Wall -Wextra -Werror
CPPFLAGS = -I$(SOURCE)
VPATH    = $(SOURCE)

all: post crew

post: post.o libtally.a libmailbox.so
	$(CC) $(LDFLAGS) $^ -Wl,-rpath,'$$ORIGIN' -pthread -o $@

crew: crew.o libtally.a libmailbox.so
	$(CXX) $(LDFLAGS) $^ -Wl,-rpath,'$$ORIGIN' -pthread -o $@

libtally.a: libtally.a(tally.o)

libmailbox.so: mailbox.c
	$(CC) $(CPPFLAGS) $(CFLAGS) -shared -fPIC -Wl,-z,defs $< -pthread -o $@
