#!/usr/bin/env python3
"""memcached_load.py PORT CLIENTS OPERATIONS [SEED] - works on a memcached at 127.0.0.1 and checks every answer.

Each client has keys of its own, whose values it knows; a counter is shared.  Prints what must be
the same in every run; ends with 1 at the first wrong answer.  With a SEED it does something else, and leaves the server
without keys, so that it can be called again.
"""
import random
import socket
import sys
import threading
import time


def connect(port):
    for _ in range(300):
        try:
            connection = socket.create_connection(("127.0.0.1", port), timeout=60)
            return connection, connection.makefile("rb")
        except ConnectionRefusedError:
            time.sleep(0.1)
    sys.exit("nobody listens on port %d" % port)


class Client:
    def __init__(self, port, number, operations, seed=0):
        self.connection, self.file = connect(port)
        self.number, self.operations, self.seed = number, operations, seed
        self.values, self.wrong, self.counted = {}, None, 0

    def ask(self, text):
        self.connection.sendall(text)
        return self.file.readline().rstrip(b"\r\n")

    def get(self, key):
        head = self.ask(b"get %s\r\n" % key)
        if head == b"END":
            return None
        value = self.file.read(int(head.split()[3]) + 2)[:-2]
        self.expect(self.file.readline(), b"END\r\n")
        return value

    def expect(self, got, wanted):
        if got != wanted:
            raise ValueError("client %d got %r, wanted %r" % (self.number, got, wanted))

    def step(self, draw):
        key = b"key-%s%d-%d" % (b"%d-" % self.seed if self.seed else b"", self.number, draw.randrange(200))
        what = draw.randrange(10)
        if what < 4:
            value = bytes(draw.randrange(97, 123) for _ in range(draw.randrange(1, 300)))
            self.expect(self.ask(b"set %s 0 0 %d\r\n%s\r\n" % (key, len(value), value)), b"STORED")
            self.values[key] = value
        elif what < 8:
            self.expect(self.get(key), self.values.get(key))
        elif what == 8:
            found = self.values.pop(key, None) is not None
            self.expect(self.ask(b"delete %s\r\n" % key), b"DELETED" if found else b"NOT_FOUND")
        else:
            self.ask(b"incr counter 1\r\n")
            self.counted += 1

    def run(self):
        draw = random.Random(self.number + 1000 * self.seed)
        try:
            for _ in range(self.operations):
                self.step(draw)
            for key, value in self.values.items():
                self.expect(self.get(key), value)
            for key in self.values if self.seed else ():
                self.expect(self.ask(b"delete %s\r\n" % key), b"DELETED")
        except (ValueError, OSError, IndexError) as error:
            self.wrong = error


def main():
    port, count, operations = (int(argument) for argument in sys.argv[1:4])
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else 0
    first = Client(port, 0, 0)
    first.expect(first.ask(b"set counter 0 0 1\r\n0\r\n"), b"STORED")
    clients = [Client(port, number + 1, operations, seed) for number in range(count)]
    threads = [threading.Thread(target=client.run) for client in clients]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for client in clients:
        if client.wrong:
            sys.exit("wrong: %s" % client.wrong)
    counted = sum(client.counted for client in clients)
    first.expect(first.get(b"counter"), b"%d" % counted)
    print("%d clients, %d operations each, counter %d, %d keys left: all answers right"
          % (count, operations, counted, sum(len(client.values) for client in clients)))


main()
