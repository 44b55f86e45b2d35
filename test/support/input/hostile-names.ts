import { nameTextRule } from '../../../src/platform/accounts/name-rules.js';

const alphabets = [
  'Ω≈ç√∫',
  'שלום עולם',
  'مرحبا بالعالم',
  '你好世界',
  '👩‍👩‍👧‍👦🏳️‍🌈',
  'Zoë̈',
  '\u202Egnp.exe',
  '\u2066x\u2069',
];

const markup = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '</title></svg><h1>x</h1>',
  '&lt;b&gt;&amp;',
  '{{constructor.constructor("alert(1)")()}}',
  '=HYPERLINK("http://x.example","x")',
  '+1+1',
  '-2+3',
  '@SUM(A1)',
  'a,b;c"d',
  '../../etc/passwd',
  '%00%0a',
  'javascript:alert(1)',
  '<!--',
  ']]>',
];

/** Names with text of several scripts and directions, emoji, markup and formulas. Every third one has a hundred characters. */
export const hostileNames: readonly string[] = [...alphabets, ...markup].map((text, index) =>
  index % 3 > 0
    ? `${text} ${index}`
    : [...`${text} ${index}`.repeat(100)]
        .slice(0, 100)
        .join('')
        .slice(0, 255)
        .replace(/[\ud800-\udbff]$/, ''),
);

/** The names of {@link hostileNames} that can be entered. Others may be stored since before the rule for names. */
export const enterableNames: readonly string[] = hostileNames
  .map((name) => name.trim())
  .filter((name) => nameTextRule(name) === undefined);
