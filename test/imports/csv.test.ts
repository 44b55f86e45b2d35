import { readCsv } from '../../src/features/imports/csv.js';
import { maximumLineLength, splitLines } from '../../src/features/imports/lines.js';
import t from '../support/tap.js';

async function read(text: string | Uint8Array, pieceSize = 7): Promise<unknown[]> {
  const bytes = Buffer.from(text);
  const pieces = Array.from({ length: Math.ceil(bytes.length / pieceSize) }, (_, index) =>
    bytes.subarray(index * pieceSize, (index + 1) * pieceSize),
  );
  const records: unknown[] = [];
  for await (const batch of readCsv(splitLines(pieces))) {
    for (const { line, fields, error } of batch) records.push([line, fields ?? error]);
  }
  return records;
}

t.test('reads CSV of RFC 4180, with the line breaks of every operating system', async (t) => {
  for (const [text, expected] of [
    ['', []],
    ['a', [[1, ['a']]]],
    [
      'a,b\r\nc,d\r\n',
      [
        [1, ['a', 'b']],
        [2, ['c', 'd']],
      ],
    ],
    [
      'a,b\nc,d',
      [
        [1, ['a', 'b']],
        [2, ['c', 'd']],
      ],
    ],
    [',\n,,\na,\n"",\n', [[3, ['a', '']]]],
    [
      '"a","b,c"\n"",x\n',
      [
        [1, ['a', 'b,c']],
        [2, ['', 'x']],
      ],
    ],
    [
      '"say ""yes""",1\n""""\n',
      [
        [1, ['say "yes"', '1']],
        [2, ['"']],
      ],
    ],
    [
      '"two\r\nlines",x\r\ny\r\n',
      [
        [1, ['two\r\nlines', 'x']],
        [3, ['y']],
      ],
    ],
    [
      '"a\n\n""\nb"\nc\n',
      [
        [1, ['a\n\n"\nb']],
        [5, ['c']],
      ],
    ],
    [
      '\uFEFFa\nb\n',
      [
        [1, ['a']],
        [2, ['b']],
      ],
    ],
    [
      'a\n\n\r\n\nb',
      [
        [1, ['a']],
        [5, ['b']],
      ],
    ],
    ['a;b\n', [[1, ['a', 'b']]]],
    [' a , "b"\n', [[1, 'a quote is in an invalid position']]],
    ['Zoë,山田,\u{1F468}\n', [[1, ['Zoë', '山田', '\u{1F468}']]]],
    ['a\u2028b,c\n', [[1, ['a\u2028b', 'c']]]],
  ] as const) {
    // The TAP parser treats U+2028 as the end of a line.
    const label = JSON.stringify(text).replace('\u2028', 'LS');
    for (const size of [1, 2, 3, 1000]) t.same(await read(text, size), expected, label);
  }
});

t.test('a malformed quote rejects its own line only', async (t) => {
  const stray = 'a quote is in an invalid position';
  const open = 'a quote is not closed';
  for (const [text, expected] of [
    [
      '1,"x"y\n2,b\n',
      [
        [1, stray],
        [2, ['2', 'b']],
      ],
    ],
    [
      '1,x"y"\n2,b\n',
      [
        [1, stray],
        [2, ['2', 'b']],
      ],
    ],
    [
      '1,5"\n2,b\n3,"c"\n',
      [
        [1, open],
        [2, ['2', 'b']],
        [3, ['3', 'c']],
      ],
    ],
    [
      '1,"open\n2,b\n3,c\n',
      [
        [1, open],
        [2, ['2', 'b']],
        [3, ['3', 'c']],
      ],
    ],
    [
      '1,a\n2,"',
      [
        [1, ['1', 'a']],
        [2, open],
      ],
    ],
  ] as const) {
    t.same(await read(text), expected, JSON.stringify(text));
  }
});

t.test('an unclosed quote is rejected after a bounded length, however long the file', async (t) => {
  const rows = Array.from({ length: 2_000 }, (_, index) => `${index},somebody`);
  const records = await read(`1,"open\n${rows.join('\n')}\n`, 65_536);
  t.equal(records.length, rows.length + 1);
  t.same(records[0], [1, 'a quote is not closed']);
  t.same(records.at(-1), [2_001, ['1999', 'somebody']]);
});

t.test('rejects a line without an end, and does not keep it in memory', async (t) => {
  const long = 'x'.repeat(maximumLineLength * 5);
  t.same(await read(`a\n${long}\nb\n${long}`, 10_000), [
    [1, ['a']],
    [2, 'the line is too long'],
    [3, ['b']],
    [4, 'the line is too long'],
  ]);
});

t.test('reads back every value that was written', async (t) => {
  const alphabet = ['a', ',', '"', '\n', '\r\n', 'ü', ' ', '\u{1F468}', '""', "'"];
  const pick = (): string => alphabet[Math.floor(Math.random() * alphabet.length)] ?? '';
  for (let round = 0; round < 100; round += 1) {
    const rows = Array.from({ length: 5 }, () =>
      Array.from({ length: 3 }, () => Array.from({ length: Math.random() * 6 }, pick).join('')),
    );
    const text = rows
      .map((row) => row.map((field) => `"${field.replaceAll('"', '""')}"`).join(','))
      .join('\r\n');
    const records = (await read(text, 1 + (round % 9))) as [number, string[]][];
    t.same(
      records.map(([, fields]) => fields),
      rows.filter((row) => row.some((field) => field.trim() !== '')),
      JSON.stringify(text),
    );
  }
});

t.test('splits at the delimiter that is most frequent outside of quotes in the first line', async (t) => {
  for (const [text, expected] of [
    [
      'a;b;c\n1,2;"3;4";5\n',
      [
        [1, ['a', 'b', 'c']],
        [2, ['1,2', '3;4', '5']],
      ],
    ],
    [
      'a\tb\n"1\t2"\t3;4\n',
      [
        [1, ['a', 'b']],
        [2, ['1\t2', '3;4']],
      ],
    ],
    [
      '"a;b;c",d\n1;2,3\n',
      [
        [1, ['a;b;c', 'd']],
        [2, ['1;2', '3']],
      ],
    ],
    [
      '\n\na;b\n1;2\n',
      [
        [3, ['a', 'b']],
        [4, ['1', '2']],
      ],
    ],
    [
      'a;b\n1,2,3,4\n',
      [
        [1, ['a', 'b']],
        [2, ['1,2,3,4']],
      ],
    ],
    [
      'a;b,c\n1;2,3\n',
      [
        [1, ['a;b', 'c']],
        [2, ['1;2', '3']],
      ],
    ],
    [
      'a\n"1\n',
      [
        [1, ['a']],
        [2, 'a quote is not closed'],
      ],
    ],
    [
      'a;b\n"1"x;2\n',
      [
        [1, ['a', 'b']],
        [2, 'a quote is in an invalid position'],
      ],
    ],
  ] as const) {
    t.same(await read(text), expected, text);
  }
});
