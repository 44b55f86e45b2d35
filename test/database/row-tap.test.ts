import { EventEmitter } from 'node:events';
import t from 'tap';
import { firstColumnOffset, RowTap } from '../../src/database/row-tap.js';

function message(kind: string, body: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(kind), length, body]);
}

/** A row with one column. */
function row(text: string): Buffer {
  const value = Buffer.from(text);
  const head = Buffer.alloc(6);
  head.writeInt16BE(1, 0);
  head.writeInt32BE(value.length, 2);
  return message('D', Buffer.concat([head, value]));
}

const lines = ['', 'a', 'Zoë Ålund', 'D'.repeat(40), 'DDDD\u0000\u0000', 'x'.repeat(300)];
const before = Buffer.concat([message('2', Buffer.alloc(0)), message('T', Buffer.from('columns'))]);
const after = Buffer.concat([message('C', Buffer.from('FETCH 6\0')), message('Z', Buffer.from('I'))]);
const rows = Buffer.concat(lines.map(row));
const sent = Buffer.concat([before, rows, after]);

/** What a tap makes of bytes that arrive in these pieces. */
function read(pieces: readonly Buffer[], take: boolean) {
  const stream = new EventEmitter();
  const tap = new RowTap(stream);
  const passed: Buffer[] = [];
  const taken: string[] = [];
  tap.on('data', (bytes: Buffer) => passed.push(Buffer.from(bytes)));
  if (take) {
    tap.taker = (bytes, start, end) => taken.push(bytes.toString('utf8', start + firstColumnOffset, end));
  }
  for (const piece of pieces) stream.emit('data', piece);
  return { passed: Buffer.concat(passed), taken };
}

function inPiecesOf(size: number): Buffer[] {
  const pieces: Buffer[] = [];
  for (let start = 0; start < sent.length; start += size) pieces.push(sent.subarray(start, start + size));
  return pieces;
}

t.test('rows are taken whole, and everything else is passed on, wherever the network cuts', async (t) => {
  for (let cut = 0; cut <= sent.length; cut += 1) {
    const { passed, taken } = read([sent.subarray(0, cut), sent.subarray(cut)], true);
    t.strictSame(taken, lines, `rows, cut at ${cut}`);
    t.ok(passed.equals(Buffer.concat([before, after])), `the rest, cut at ${cut}`);
  }
  for (let size = 1; size <= 12; size += 1) {
    const { passed, taken } = read(inPiecesOf(size), true);
    t.strictSame(taken, lines, `rows, in pieces of ${size}`);
    t.ok(passed.equals(Buffer.concat([before, after])), `the rest, in pieces of ${size}`);
  }
});

t.test('without a taker every byte is passed on', async (t) => {
  for (let size = 1; size <= 12; size += 1) {
    const { passed, taken } = read(inPiecesOf(size), false);
    t.ok(passed.equals(sent), `in pieces of ${size}`);
    t.strictSame(taken, []);
  }
});

t.test('a taker hears of rows only until it leaves', async (t) => {
  const stream = new EventEmitter();
  const tap = new RowTap(stream);
  const taken: string[] = [];
  let passed = 0;
  tap.on('data', (bytes: Buffer) => {
    passed += bytes.length;
  });
  tap.taker = (bytes, start, end) => taken.push(bytes.toString('utf8', start + firstColumnOffset, end));
  stream.emit('data', row('mine'));
  tap.taker = null;
  stream.emit('data', row('yours'));
  t.strictSame(taken, ['mine']);
  t.equal(passed, row('yours').length);
});
