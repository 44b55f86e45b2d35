import { createSocket } from 'node:dgram';
import dns, { type LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';
import type { Test } from '../tap.js';

/** Bytes of the header of a DNS message (RFC 1035 section 4.1.1). */
const headerSize = 12;

/**
 * Starts a DNS server, which this process uses instead of the resolver of the system until the test ends.
 *
 * @param respond IPv4 addresses of the response with this number, from 0
 */
export async function startNameServer(t: Test, respond: (number: number) => readonly string[]) {
  const socket = createSocket('udp4');
  const nameServer = { queries: 0 };
  socket.on('message', (query, { port, address }) => {
    const addresses = respond(nameServer.queries);
    nameServer.queries += 1;
    socket.send(toResponse(query, addresses), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const resolver = new dns.promises.Resolver({ timeout: 2_000, tries: 1 });
  resolver.setServers([`127.0.0.1:${socket.address().port}`]);
  const original = { callback: dns.lookup, promise: dns.promises.lookup };
  const lookUp = async (hostname: string): Promise<LookupAddress[]> =>
    (await resolver.resolve4(hostname)).map((address) => ({ address, family: 4 }));
  const replace = (callback: unknown, promise: unknown) => {
    Object.assign(dns, { lookup: callback });
    Object.assign(dns.promises, { lookup: promise });
    syncBuiltinESMExports();
  };
  replace((hostname: string, _options: object, callback: (...result: unknown[]) => void) => {
    lookUp(hostname).then(
      (addresses) => callback(null, addresses),
      (error) => callback(error),
    );
  }, lookUp);
  t.teardown(() => {
    replace(original.callback, original.promise);
    socket.close();
  });
  return nameServer;
}

/** Repeats the question, and adds an A record with a TTL of 0 for each address. */
function toResponse(query: Buffer, addresses: readonly string[]): Buffer {
  // Labels, a byte 0, type and class.
  const question = query.subarray(headerSize, query.indexOf(0, headerSize) + 5);
  const header = Buffer.from(query.subarray(0, headerSize));
  // A response without an error, to one question.
  for (const [offset, value] of [0x8180, 1, addresses.length, 0, 0].entries())
    header.writeUInt16BE(value, 2 + offset * 2);
  const records = addresses.map((address) =>
    Buffer.from([0xc0, headerSize, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)]),
  );
  return Buffer.concat([header, question, ...records]);
}
