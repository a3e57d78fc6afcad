#!/usr/bin/env python3
"""redis_check.py PORT wait|fill [STEPS [SEED]] - waits for a redis-server at 127.0.0.1, or fills it and checks it.

`fill` empties the server, has four clients store values of all kinds at once, asks for them, and
prints the digest of the whole data, which is the same in every run.
"""
import random
import socket
import sys
import threading
import time


class Client:
    def __init__(self, port):
        self.connection = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.file = self.connection.makefile("rb")

    def ask(self, *words):
        words = [str(word).encode() for word in words]
        self.connection.sendall(b"*%d\r\n" % len(words) +
                                b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in words))
        return self.answer()

    def answer(self):
        line = self.file.readline().rstrip(b"\r\n")
        kind, rest = line[:1], line[1:]
        if kind == b"$":
            return None if rest == b"-1" else self.file.read(int(rest) + 2)[:-2].decode()
        if kind == b"*":
            return [self.answer() for _ in range(int(rest))]
        if kind == b"-":
            raise ValueError(rest.decode())
        return int(rest) if kind == b":" else rest.decode()


def wait(port):
    for _ in range(300):
        try:
            return Client(port).ask("PING")
        except OSError:
            time.sleep(0.1)
    sys.exit("nobody listens on port %d" % port)


def expect(got, wanted):
    if got != wanted:
        raise ValueError("got %r, wanted %r" % (got, wanted))


def fill(port, number, steps, seed, wrong):
    draw, client, values = random.Random(number + 1000 * seed), Client(port), {}
    try:
        for step in range(steps):
            key, value = "key:%d:%d" % (number, draw.randrange(50)), "v%d" % draw.randrange(10 ** 9)
            client.ask("SET", key, value)
            values[key] = value
            client.ask("RPUSH", "list:%d" % number, value)
            client.ask("HSET", "hash:%d" % number, "field%d" % (step % 40), value)
            client.ask("ZADD", "zset:%d" % number, step, value)
            client.ask("INCR", "counter")
            client.ask("SADD", "set", step)
        for key, value in values.items():
            expect(client.ask("GET", key), value)
        expect(client.ask("LLEN", "list:%d" % number), steps)
    except (ValueError, OSError) as error:
        wrong.append("client %d: %s" % (number, error))


def main():
    port = int(sys.argv[1])
    if sys.argv[2] == "wait":
        expect(wait(port), "PONG")
        return
    client, wrong = Client(port), []
    steps = int(sys.argv[3]) if len(sys.argv) > 3 else 150
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else 0
    client.ask("FLUSHALL", "ASYNC")
    threads = [threading.Thread(target=fill, args=(port, number, steps, seed, wrong)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if wrong:
        sys.exit("wrong: " + wrong[0])
    expect(client.ask("GET", "counter"), str(4 * steps))
    print("digest %s: all answers right" % client.ask("DEBUG", "DIGEST"))


main()
