import net, { type Socket } from 'node:net';

export type SlowKind = 'headers' | 'body' | 'reader';

interface SlowClient {
  readonly kind: SlowKind;
  readonly openedAt: number;
  closedAt: number | undefined;
}

const headers = 'GET /v1/employees HTTP/1.1\r\nHost: api.bench\r\nX-Long: ';
const body =
  'POST /v1/oauth/token HTTP/1.1\r\nHost: api.bench\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 60000\r\n\r\ngrant_type=';

/** Milliseconds between two bytes of a client. */
const byteEveryMs = 500;

/**
 * Slow clients, each on one connection: some never finish their headers, some never finish a body, some request large
 * responses and read nothing.
 */
export class SlowClients {
  readonly #clients: SlowClient[] = [];
  readonly #sockets: Socket[] = [];

  /** @param large table: path of a response that is streamed; pages: how many a reader requests at once */
  open(
    port: number,
    count: number,
    { table, token, pages }: { table: string; token: string; pages: number },
  ): void {
    const rest = `Host: api.bench\r\nAuthorization: Bearer ${token}\r\n\r\n`;
    const large = [
      `GET ${table} HTTP/1.1\r\n${rest}`,
      `GET /v1/employees?page[size]=500 HTTP/1.1\r\n${rest}`.repeat(pages),
    ];
    for (let index = 0; index < count; index += 1) {
      const kind = index % 10 === 0 ? 'reader' : index % 2 === 0 ? 'headers' : 'body';
      const socket = this.#connect(port, kind);
      if (kind === 'reader') {
        socket.pause();
        socket.write(large[(index / 10) % 2]);
      } else dribble(socket, kind === 'headers' ? headers : body);
    }
  }

  /** Number of clients of a kind, number of open connections, and durations of the closed ones. */
  count(kind: SlowKind): { all: number; open: number; longestSeconds: number } {
    const clients = this.#clients.filter((client) => client.kind === kind);
    const lasted = clients.map(({ openedAt, closedAt = openedAt }) => (closedAt - openedAt) / 1000);
    const open = clients.filter(({ closedAt }) => closedAt === undefined).length;
    return { all: clients.length, open, longestSeconds: Math.max(...lasted) };
  }

  /** When the first client connected. */
  get openedAt(): number {
    return Math.min(...this.#clients.map(({ openedAt }) => openedAt));
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #connect(port: number, kind: SlowKind): Socket {
    const client: SlowClient = { kind, openedAt: Date.now(), closedAt: undefined };
    const socket = net.connect(port, '127.0.0.1');
    // The server may reset the connection.
    socket.on('error', () => {});
    socket.on('close', () => {
      client.closedAt = Date.now();
    });
    this.#clients.push(client);
    this.#sockets.push(socket);
    return socket;
  }
}

/** Sends the text, and then single bytes at intervals. */
function dribble(socket: Socket, text: string): void {
  socket.write(text);
  socket.resume();
  const timer = setInterval(
    () => {
      if (socket.writable) socket.write('x');
    },
    byteEveryMs * (0.5 + Math.random()),
  );
  socket.once('close', () => clearInterval(timer));
}
