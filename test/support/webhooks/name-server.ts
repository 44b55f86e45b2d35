import { createSocket } from 'node:dgram';
import dns from 'node:dns/promises';
import { once } from 'node:events';
import ipaddr from 'ipaddr.js';
import type { Test } from '../tap.js';

/** Bytes of the header of a DNS message (RFC 1035 section 4.1.1). */
const headerSize = 12;

/** Types of queries for IPv4 and IPv6 addresses (RFC 1035 section 3.2.2 and RFC 3596 section 2.1). */
const [typeA, typeAaaa] = [1, 28];

/**
 * Starts a DNS server, which this process uses instead of that of the system until the test ends.
 *
 * @param respond addresses of a name; `number` is that of the query for IPv4 addresses, from 0
 */
export async function startNameServer(t: Test, respond: (number: number, name: string) => readonly string[]) {
  const socket = createSocket('udp4');
  /** Number of queries for IPv4 addresses. */
  const nameServer = { queries: 0 };
  /** Addresses by id, type and name of the query. On a busy machine the resolver sends a query again before it reads the response. */
  const responses = new Map<string, readonly string[]>();
  socket.on('message', (query, { port, address }) => {
    const { name, type, question } = readQuestion(query);
    const key = `${query.readUInt16BE(0)} ${type} ${name}`;
    const isRepeated = responses.has(key);
    const found = responses.get(key) ?? respond(nameServer.queries, name);
    responses.set(key, found);
    const addresses = found.filter((each) => type === (each.includes(':') ? typeAaaa : typeA));
    if (type === typeA && !isRepeated) nameServer.queries += 1;
    socket.send(toResponse(query, question, addresses.map(toRecord)), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const original = dns.getServers();
  dns.setServers([`127.0.0.1:${socket.address().port}`]);
  t.teardown(() => {
    dns.setServers(original);
    socket.close();
  });
  return nameServer;
}

/** Reads the question: labels, a byte 0, type and class. */
function readQuestion(query: Buffer): { name: string; type: number; question: Buffer } {
  const labels: string[] = [];
  let offset = headerSize;
  for (let length = query.readUInt8(offset); length > 0; length = query.readUInt8(offset)) {
    labels.push(query.toString('latin1', offset + 1, offset + 1 + length));
    offset += length + 1;
  }
  return {
    name: labels.join('.'),
    type: query.readUInt16BE(offset + 1),
    question: query.subarray(headerSize, offset + 5),
  };
}

/** Repeats the question, and adds the records. */
function toResponse(query: Buffer, question: Buffer, records: readonly Buffer[]): Buffer {
  const header = Buffer.from(query.subarray(0, headerSize));
  // A response without an error, to one question.
  for (const [offset, value] of [0x8180, 1, records.length, 0, 0].entries())
    header.writeUInt16BE(value, 2 + offset * 2);
  return Buffer.concat([header, question, ...records]);
}

/** A record of the name in the question, with a TTL of 0. */
function toRecord(address: string): Buffer {
  const data = ipaddr.parse(address).toByteArray();
  const type = data.length === 4 ? typeA : typeAaaa;
  return Buffer.from([0xc0, headerSize, 0, type, 0, 1, 0, 0, 0, 0, 0, data.length, ...data]);
}
