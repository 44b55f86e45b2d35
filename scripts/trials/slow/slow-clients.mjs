import net from 'node:net';

const headers = 'GET /v1/employees HTTP/1.1\r\nHost: api.bench\r\nX-Long: ';
const body =
  'POST /v1/oauth/token HTTP/1.1\r\nHost: api.bench\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 60000\r\n\r\ngrant_type=';

/** Milliseconds between two bytes of a client. */
const byteEveryMs = 500;

/**
 * Clients that take their time: some never finish their headers, some never finish a body, some ask for much and read
 * nothing. Each has one connection.
 */
export class SlowClients {
  #sockets = [];
  #timers = [];

  /**
   * @param {number} port
   * @param {number} count
   * @param {{ table: string, token: string }} large table: path of something that is streamed
   */
  open(port, count, { table, token, pages: pagesAtOnce }) {
    const rest = `Host: api.bench\r\nAuthorization: Bearer ${token}\r\n\r\n`;
    const pages = `GET /v1/employees?page[size]=500 HTTP/1.1\r\n${rest}`.repeat(pagesAtOnce);
    const large = [`GET ${table} HTTP/1.1\r\n${rest}`, pages];
    for (let index = 0; index < count; index += 1) {
      const kind = index % 10 === 0 ? 'reader' : index % 2 === 0 ? 'headers' : 'body';
      const socket = net.connect(port, '127.0.0.1');
      const slow = { kind, socket, openedAt: Date.now(), closedAt: undefined };
      // A reset is a way to be cut.
      socket.on('error', () => {});
      socket.on('close', () => {
        slow.closedAt ??= Date.now();
      });
      if (kind === 'reader') {
        socket.pause();
        socket.write(large[(index / 10) % 2]);
      } else this.#dribble(slow, kind === 'headers' ? headers : body);
      this.#sockets.push(slow);
    }
  }

  get all() {
    return this.#sockets;
  }

  /** How many of a kind the server has cut, and how many there are. */
  count(kind) {
    const those = this.#sockets.filter((slow) => slow.kind === kind);
    return { open: those.filter(({ closedAt }) => closedAt === undefined).length, all: those.length };
  }

  close() {
    for (const timer of this.#timers) clearInterval(timer);
    for (const { socket } of this.#sockets) socket.destroy();
  }

  #dribble({ socket }, text) {
    socket.write(text);
    socket.resume();
    const timer = setInterval(
      () => {
        if (socket.writable) socket.write('x');
      },
      byteEveryMs * (0.5 + Math.random()),
    );
    socket.once('close', () => clearInterval(timer));
    this.#timers.push(timer);
  }
}
